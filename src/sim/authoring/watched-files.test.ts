import type * as Fs from 'node:fs'
import { describe, expect, it } from 'vitest'
import type { ProcessContext } from '../../node/index.ts'
import type { SimulationDefinition } from './definition.ts'
import type { RunRecord } from '../running/run.ts'
import { runInline as run } from '../running/run.test-support.ts'
import type { FileEvent } from './watched-files.ts'

/** Says `saved` after it has written, and synced if it is careful. */
function writer(careful: boolean) {
  return (_process: unknown, node: ProcessContext): void => {
    const fs = node.require('node:fs') as typeof Fs
    const { setTimeout, console } = node.globalThis
    const sync = (path: string): void => {
      const directory = fs.openSync(path, 'r')
      fs.fsyncSync(directory)
      fs.closeSync(directory)
    }
    const fd = fs.openSync('/data/log', 'a')
    sync('/data')
    setTimeout(() => {
      fs.writeSync(fd, 'one')
      if (careful) fs.fsyncSync(fd)
      console.log('saved')
    }, 10)
  }
}

const WORKLOAD: SimulationDefinition['workload'] = { clients: 1, operations: 0, run: () => {} }
const FILES: SimulationDefinition['files'] = { log: { of: 'writer', path: '/data/log' } }

function fileEvents({ events }: RunRecord): FileEvent[] {
  return events.filter((event) => event.name === 'file').map((event) => event.data as FileEvent)
}

describe('watched files', () => {
  it('are published when they change, after the step that changed them', async () => {
    const record = await run({
      processes: { writer: { run: writer(true) } },
      workload: WORKLOAD,
      files: FILES,
    })
    expect(record.result.failure).toBeNull()
    expect(fileEvents(record)).toEqual([
      { file: 'log', process: 'writer', path: '/data/log', change: 'created', sizeBytes: 0 },
      { file: 'log', process: 'writer', path: '/data/log', change: 'written', sizeBytes: 3 },
    ])
  })

  it('tell replaced, synced and removed apart, for every process of a group', async () => {
    const program = (_process: unknown, node: ProcessContext): void => {
      const fs = node.require('node:fs') as typeof Fs
      const { setTimeout } = node.globalThis
      const steps = [
        () => fs.writeFileSync('state', 'a'),
        () => fs.fsyncSync(fs.openSync('state', 'r')),
        () => fs.writeFileSync('state.new', 'bb'),
        () => fs.renameSync('state.new', 'state'),
        () => fs.rmSync('state'),
      ]
      for (const [i, step] of steps.entries()) setTimeout(step, 10 * (i + 1))
    }
    const record = await run({
      processes: { p: { run: program, count: 2, cwd: '/srv' } },
      workload: WORKLOAD,
      files: { state: { of: 'p', path: 'state' } },
    })
    expect(record.result.failure).toBeNull()
    for (const process of ['p1', 'p2']) {
      const own = fileEvents(record).filter((each) => each.process === process)
      expect(own.map(({ change, sizeBytes }) => [change, sizeBytes])).toEqual([
        ['created', 1],
        ['synced', 1],
        ['replaced', 2],
        ['removed', 0],
      ])
      expect(own[0].path).toBe('/srv/state')
    }
  })

  it('are read now and as a power loss would leave them: an acknowledgement without a sync is seen', async () => {
    const invariants: SimulationDefinition['invariants'] = {
      'what is saved is on the disk': ({ events, files }) => {
        if (events.last('stdout')?.data !== 'saved') return true
        const now = files.read('writer', '/data/log')!.toString()
        const synced = files.readSynced('writer', '/data/log')!.toString()
        return now === synced || `${JSON.stringify(synced)} of ${JSON.stringify(now)}`
      },
    }
    const simulation = (careful: boolean): SimulationDefinition => {
      return { processes: { writer: { run: writer(careful) } }, workload: WORKLOAD, invariants }
    }
    expect((await run(simulation(true))).result.failure).toBeNull()
    expect((await run(simulation(false))).result.failure).toMatchObject({
      title: 'what is saved is on the disk',
      message: '"" of "one"',
    })
  })

  it('can be read in check, and a wrong name is said to be wrong', async () => {
    let seen: unknown = null
    const { result } = await run({
      processes: { writer: { run: writer(true) } },
      workload: {
        ...WORKLOAD,
        check: ({ files }) => {
          seen = [files.read('writer', '/data/log')?.toString(), files.read('writer', '/data/none')]
          files.read('nowhere', '/data/log')
        },
      },
    })
    expect(seen).toEqual(['one', null])
    expect(result.failure?.message).toBe("files: no process is named 'nowhere'; there are writer")
  })

  it('change nothing', async () => {
    const plain = await run({ processes: { writer: { run: writer(true) } }, workload: WORKLOAD })
    const watched = await run({
      processes: { writer: { run: writer(true) } },
      workload: WORKLOAD,
      files: FILES,
    })
    expect(watched.result.digest).toBe(plain.result.digest)
  })
})
