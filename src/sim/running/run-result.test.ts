/** What a replay of a changed program is: the recorded schedule fits it, or it diverges. */
import type * as Fs from 'node:fs'
import { describe, expect, it } from 'vitest'
import type { Choice } from '../../kernel/choices.ts'
import type { ProcessContext } from '../../node/index.ts'
import type { SimulationDefinition } from '../authoring/definition.ts'
import { event } from '../authoring/event-log.ts'
import { inlineHost, runInline } from './run.test-support.ts'
import { runSeed, type RunRecord } from './run.ts'

/** Writes a file at its first boot and looks for it at the second, after a power loss. */
function keeper(flush: boolean, powerLoss = true): SimulationDefinition {
  return {
    processes: {
      keeper: {
        run: (_process, node: ProcessContext) => {
          const fs = node.require('node:fs') as typeof Fs
          const kept = fs.existsSync('/kept') && fs.readFileSync('/kept', 'utf8') === 'all of it'
          event('kept', kept)
          if (!kept) fs.writeFileSync('/kept', 'all of it', { flush })
          node.globalThis.setInterval(() => {}, 1000)
        },
      },
    },
    workload: { clients: 1, operations: [1, 4], run: ({ operation }) => operation('wait', () => {}) },
    invariants: {
      'what was written is there': ({ events }) => events.all('kept').at(1)?.data !== false,
    },
    ...(powerLoss && {
      script: [
        { fault: 'reboot', atMs: 100, forMs: 100, with: { kind: 'power-loss', scope: 'process' } } as const,
      ],
    }),
  }
}

/** The choices of the first seed in which the file is lost. */
async function lost(): Promise<readonly Choice[]> {
  for (let seed = 1; ; seed++) {
    const { result, choices } = await runInline(keeper(false), seed)
    if (result.failure === null) continue
    expect(result.failure.title).toBe('what was written is there')
    expect(choices.some(({ label }) => label.endsWith(' survival'))).toBe(true)
    return choices
  }
}

function replay(definition: SimulationDefinition, overrides: readonly Choice[]): Promise<RunRecord> {
  const job = { simulation: { file: '', name: 'toy' }, level: 'sunny', seed: 1, base: 'zero' } as const
  return runSeed({ ...job, misfit: 'diverge', overrides }, inlineHost(definition))
}

describe('a replay of a program that lost what it had not synced', () => {
  it('fails as before while nothing has changed', async () => {
    const { result } = await replay(keeper(false), await lost())
    expect(result.failure?.title).toBe('what was written is there')
  })

  it('holds when the program syncs: that a power loss has nothing to take is the fix, and no divergence', async () => {
    const { result } = await replay(keeper(true), await lost())
    expect(result.failure).toBeNull()
    expect(result.faults).toMatchObject([{ family: 'reboot', landed: 1 }])
  })

  it('diverges when another recorded choice is not asked for: the power loss itself', async () => {
    const { result } = await replay(keeper(true, false), await lost())
    expect(result.failure).toMatchObject({ category: 'divergence' })
    expect(result.failure!.message).toMatch(
      /^choice nemesis reboot aimed #0 happens #0, .* was never asked for$/,
    )
  })
})
