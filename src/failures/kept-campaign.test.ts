/** The artefacts of a campaign: what a kept failure says of the model of its disks. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { event } from '../sim/authoring/event-log.ts'
import { simulation, type Simulation } from '../sim/authoring/definition.ts'
import { ThreadExecutor, threadHost } from '../sim/campaign/thread-host.ts'
import type { FailureArtefact } from '../sim/campaign/result.ts'
import { FailureKeeper } from './kept-campaign.ts'
import { recorderIn } from './recorded-run.ts'

const output = mkdtempSync(join(tmpdir(), 'wavetank-kept-'))
afterAll(() => rmSync(output, { recursive: true }))

/**
 * A program that replaces a file by a rename and does not sync what it wrote: ext4 writes the bytes first, POSIX does not
 * promise it. With `clumsy` it writes in place, which is torn on every file system.
 */
function replacing(clumsy: boolean): Simulation {
  return simulation('replacing', {
    disk: 'posix',
    processes: {
      writer: {
        onExit: 'restart',
        run: (_, { require, globalThis: own }) => {
          const fs = require('node:fs')
          const read = () =>
            fs.existsSync('/tmp/state') ? (fs.readFileSync('/tmp/state', 'utf8') as string) : null
          event('state', read())
          if (read() === null) {
            fs.writeFileSync('/tmp/state', 'init\n'.repeat(2_000))
            for (const path of ['/tmp/state', '/tmp']) fs.fsyncSync(fs.openSync(path, 'r'))
          }
          let round = 0
          own.setInterval(() => {
            const text = `${String(round++).padStart(4, '0')}\n`.repeat(2_000)
            if (clumsy) fs.writeFileSync('/tmp/state', text)
            else {
              fs.writeFileSync('/tmp/next', text)
              fs.renameSync('/tmp/next', '/tmp/state')
            }
          }, 100)
        },
      },
    },
    workload: {
      clients: 1,
      operations: 1,
      spanMs: 0,
      run: ({ operation }) =>
        operation('wait', () => new Promise((resolve) => void setTimeout(resolve, 3_000))),
    },
    invariants: {
      'the state is whole': ({ events }) => {
        for (const { data } of events.fresh('state')) if (!isWhole(data as string | null)) return false
        return true
      },
    },
    script: [{ fault: 'reboot', target: 'writer', atMs: 1_050, forMs: 500, with: { kind: 'power-loss' } }],
  })
}

/** There is none yet, or it is one text, 2,000 times. */
function isWhole(state: string | null): boolean {
  return state === null || (state !== '' && state === state.slice(0, 5).repeat(2_000))
}

/** The artefact of the first seed that fails. */
async function firstArtefact(toy: Simulation): Promise<FailureArtefact> {
  const executor = new ThreadExecutor(threadHost({ root: null, hostModules: {}, inline: toy }))
  const recorder = recorderIn(executor)
  const clock = { nowMs: () => 0 } as never
  const where = { root: output, output, file: '', name: 'replacing', level: 'sunny', inline: null } as const
  for (let seed = 1; seed <= 60; seed++) {
    const { result } = await executor.run({
      simulation: { file: '', name: 'replacing' },
      level: 'sunny',
      seed,
    })
    if (result.failure === null) continue
    expect(result.failure.title).toBe('the state is whole')
    const keeper = new FailureKeeper({ recorder, clock, ...where })
    const { artefacts } = await keeper.keep({ failures: [{ seed, failure: result.failure }] } as never, null)
    expect(artefacts).toHaveLength(1)
    return artefacts[0]
  }
  throw new Error('no seed fails')
}

describe('a failure on strict disks', () => {
  it('says so if it does not happen on disks that journal', async () => {
    expect((await firstArtefact(replacing(false))).strictDiskOnly).toBe(true)
  })

  it('says nothing if it happens on those too', async () => {
    expect(await firstArtefact(replacing(true))).not.toHaveProperty('strictDiskOnly')
  })
})
