import type * as Net from 'node:net'
import { describe, expect, it } from 'vitest'
import type { ProcessContext } from '../../node/index.ts'
import { always, sometimes } from '../authoring/assertions.ts'
import { isViolation } from './failure.ts'
import type { SimulationDefinition } from '../authoring/definition.ts'
import { event } from '../authoring/event-log.ts'
import { fail } from '../authoring/operations.ts'
import { runInline as run } from './run.test-support.ts'

/** Answers every line with `line!`. */
function echoServer(_process: unknown, node: ProcessContext): void {
  const net = node.require('node:net') as typeof Net
  const server = net.createServer((socket) => {
    socket.on('error', () => {})
    socket.on('data', (data) => socket.write(`${String(data)}!`))
  })
  server.listen(7000, () => node.globalThis.console.log('ready'))
}

const IDLE: SimulationDefinition['workload'] = { clients: 1, operations: 1, spanMs: 0, run: () => {} }

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}

describe('a run', () => {
  it('records operations, counts them, and is the same again', async () => {
    const definition: SimulationDefinition = {
      processes: { echo: { run: echoServer } },
      workload: {
        clients: 2,
        operations: 5,
        run: async ({ operation, rng, client }) => {
          await operation('wait', { key: client, input: 3 }, async () => {
            await sleep(rng.between(1, 20))
            return 'done'
          })
        },
      },
    }
    const first = await run(definition)
    expect(first.result.failure).toBeNull()
    expect(first.result.operations).toEqual([{ f: 'wait', ok: 10, fail: 0, info: 0 }])
    expect(first.log.map((line) => [line.process, line.text])).toEqual([['echo', 'ready']])
    const again = await run(definition)
    expect(again.result).toEqual(first.result)
    expect((await run(definition, 2)).result.digest).not.toBe(first.result.digest)
  })

  it('goes through its phases in order, and has faults in the chaos window only', async () => {
    for (let seed = 1; seed <= 10; seed++) {
      const { events, faults, result } = await run(
        {
          processes: { echo: { run: echoServer, count: 3 } },
          workload: { operations: 20, run: () => sleep(100) },
        },
        seed,
        'stormy',
      )
      expect(result.failure).toBeNull()
      const phases = events.filter((each) => each.name === 'phase')
      expect(phases.map((each) => each.data)).toEqual([
        'boot',
        'setup',
        'chaos',
        'heal',
        'settle',
        'check',
        'done',
      ])
      const [opened, closed] = [phases[2].timeUs, phases[3].timeUs]
      for (const fault of faults) {
        expect(fault.beginUs).toBeGreaterThanOrEqual(opened)
        expect(fault.endUs).toBeLessThanOrEqual(closed)
      }
    }
  })

  it('calls setup, open, run, settled and check', async () => {
    const calls: string[] = []
    let asked = 0
    const { result } = await run({
      processes: {},
      workload: {
        clients: 2,
        operations: 1,
        setup: () => void calls.push('setup'),
        open: ({ client }) => client * 10,
        run: ({ state }) => void calls.push(`run ${state}`),
        settled: () => ++asked === 3,
        check: ({ history }) => void calls.push(`check ${history.length}`),
      },
    })
    expect(result.failure).toBeNull()
    expect([calls[0], ...calls.slice(1, 3).sort(), calls[3]]).toEqual(['setup', 'run 0', 'run 10', 'check 0'])
    expect(asked).toBe(3)
  })

  it('boots functions with fresh identities, and knows their peers', async () => {
    const seen: string[] = []
    await run({
      processes: {
        n: {
          count: 3,
          env: ({ index }) => ({ ID: String(index) }),
          args: ['--x'],
          run: ({ name, peers }, node) => {
            seen.push([name, peers.join('+'), node.process.env.ID, node.process.argv.at(-1)].join(' '))
            node.require('net').createServer().listen(1)
          },
        },
      },
      workload: IDLE,
    })
    expect(seen).toEqual(['n1 n2+n3 0 --x', 'n2 n1+n3 1 --x', 'n3 n1+n2 2 --x'])
  })

  it('fails with the category of what broke', async () => {
    const workload = (more: Partial<SimulationDefinition['workload']>): SimulationDefinition => {
      return { processes: {}, workload: { ...IDLE, ...more } }
    }
    const boom = (): never => {
      throw new Error('boom')
    }
    const failures = [
      await run(workload({ setup: boom })),
      await run(workload({ open: boom })),
      await run(workload({ run: boom })),
      await run(workload({ check: boom })),
      await run(workload({ run: () => always(false, 'never') })),
      await run({
        ...workload({ run: () => event('balance', -1) }),
        invariants: { positive: ({ events }) => ((events.last('balance')?.data as number) ?? 0) >= 0 },
      }),
      await run({ ...workload({ settled: () => false }), limits: { settleVirtualMs: 1000 } }),
      await run(workload({ run: () => void setTimeout(boom, 5) })),
    ].map(({ result }) => `${result.failure?.category}: ${result.failure?.title}: ${result.failure?.message}`)
    expect(failures).toEqual([
      'workload: setup: boom',
      'workload: open: boom',
      'workload: run: boom',
      'check: check: boom',
      "assertion: never: always 'never' was false",
      "invariant: positive: 'positive' does not hold",
      'unsettled: settled: not at rest 1000 virtual ms after every fault had ended',
      'workload: workload process: Error: boom',
    ])
  })

  it('calls a mistake in the simulation a mistake, and no violation', async () => {
    const nothing = undefined as unknown as { amount: number }
    const slip = (): boolean => nothing.amount > 0
    const parts: SimulationDefinition[] = [
      { processes: {}, workload: IDLE, invariants: { positive: slip } },
      { processes: {}, workload: { ...IDLE, check: () => void slip() } },
      { processes: {}, workload: { ...IDLE, setup: slip } },
      { processes: {}, workload: { ...IDLE, run: slip } },
    ]
    for (const [index, title] of ['positive', 'check', 'setup', 'run'].entries()) {
      const { failure } = (await run(parts[index])).result
      expect(failure).toMatchObject({ category: 'mistake', title })
      expect(failure!.message).toMatch(/^a mistake in the simulation: TypeError: Cannot read .*'amount'\)/)
      expect(isViolation(failure!)).toBe(false)
    }
  })

  it('does not take a failed connection for a mistake', async () => {
    const failed = (): never => {
      throw new TypeError('fetch failed', { cause: new Error('connect ECONNREFUSED') })
    }
    const { failure } = (await run({ processes: {}, workload: { ...IDLE, check: failed } })).result
    expect(failure).toMatchObject({ category: 'check', message: 'fetch failed' })
  })

  it('refuses what a check returns if it is no result', async () => {
    const check = (() => 5) as unknown as () => void
    const { failure } = (await run({ processes: {}, workload: { ...IDLE, check } })).result
    expect(failure).toMatchObject({
      category: 'mistake',
      message: expect.stringContaining(
        'expected nothing, a result of a checker or a list of results, and got 5',
      ),
    })
  })

  it.each([
    ['args', () => [5], 'expected a text, and got 5'],
    ['env', () => 'PORT=1', "expected an object, and got 'PORT=1'"],
    ['tags', () => undefined, 'expected a list, each a text that is not empty, and got undefined'],
    ['locality', () => ({ zone: 3 }), 'expected a text that is not empty, and got 3'],
  ])('refuses what a function of the process gives for %s', async (name, give, expected) => {
    const processes = { n: { count: 1, run: () => {}, [name]: give } } as SimulationDefinition['processes']
    const { failure } = (await run({ processes, workload: IDLE })).result
    expect(failure).toMatchObject({ category: 'mistake', message: expect.stringContaining(expected) })
    expect(failure!.message).toContain(`processes.n.${name} of n1`)
  })

  it.each([async () => true, () => 5])('refuses an answer of an invariant that is none', async (answer) => {
    const invariants = { odd: answer as unknown as () => boolean }
    const { failure } = (await run({ processes: {}, workload: IDLE, invariants })).result
    expect(failure).toMatchObject({
      category: 'mistake',
      title: 'odd',
      message: expect.stringContaining('expected true, false, a sentence or nothing, and got'),
    })
  })

  it('is unknown, and no violation, when a process needs what the tank lacks', async () => {
    const lacking = (onExit: 'fail' | 'restart' | 'ignore', catches: boolean): SimulationDefinition => ({
      processes: {
        p: {
          onExit,
          run: (_process, { globalThis: { Atomics, Int32Array, SharedArrayBuffer, console, process } }) => {
            const wait = (): void => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)
            if (!catches) wait()
            try {
              wait()
            } catch (error) {
              console.error(error)
              process.exit(3)
            }
          },
        },
      },
      workload: IDLE,
    })
    for (const onExit of ['fail', 'restart', 'ignore'] as const) {
      for (const catches of [false, true]) {
        const { result } = await run(lacking(onExit, catches))
        expect(result.failure).toMatchObject({
          category: 'unsupported',
          title: 'p',
          message: 'Atomics.wait: a simulated thread cannot block; use Atomics.waitAsync',
        })
        expect(result.others).toEqual([])
        expect(isViolation(result.failure!)).toBe(false)
      }
    }
  })

  it('is unknown when an operation, a part of the workload or an invariant needs what the tank lacks', async () => {
    const lacking = (): never => {
      throw Object.assign(new Error('the tank does not simulate x'), { code: 'ERR_WAVETANK_UNSUPPORTED' })
    }
    const definitions: SimulationDefinition[] = [
      { processes: {}, workload: { ...IDLE, run: ({ operation }) => operation('ask', lacking) } },
      { processes: {}, workload: { ...IDLE, setup: lacking } },
      { processes: {}, workload: IDLE, invariants: { fine: lacking } },
    ]
    for (const [index, title] of ['operation ask', 'setup', 'fine'].entries()) {
      const { failure } = (await run(definitions[index])).result
      expect(failure).toMatchObject({ category: 'unsupported', title })
      expect(failure!.message).toBe(
        'the tank does not simulate x. docs/fidelity.md lists what is simulated; externals replaces a module',
      )
    }
  })

  it('reads all events in check as an invariant reads them', async () => {
    const seen: unknown[] = []
    await run({
      processes: {},
      workload: {
        ...IDLE,
        run: () => event('note', 1),
        check: ({ events }) => {
          seen.push([...events].length > 3, [...events.fresh('note')].length)
          seen.push(events.all('note').length, events.last('note')?.data)
        },
      },
    })
    expect(seen).toEqual([true, 1, 1, 1])
  })

  it('fails when a process dies by itself, unless it may', async () => {
    const dying = (onExit: 'fail' | 'restart' | 'ignore'): SimulationDefinition => ({
      processes: {
        p: {
          onExit,
          run: (_process, node) => {
            setTimeout(() => {
              throw new TypeError('unexpected')
            }, 50)
            node.require('net').createServer().listen(1)
          },
        },
      },
      workload: { ...IDLE, operations: 10, spanMs: 2000 },
    })
    const failed = await run(dying('fail'))
    expect(failed.result.failure).toMatchObject({ category: 'process-exit', title: 'p' })
    expect(failed.result.failure!.message).toBe('p exited with code 1: TypeError: unexpected')
    const quiet = await run({
      processes: { p: { run: (_process, node) => node.require('fs').promises.readFile('/no/such/file') } },
      workload: { ...IDLE, operations: 10, spanMs: 2000 },
    })
    expect(quiet.result.failure!.message).toBe(
      "p exited with code 1: Error: ENOENT: no such file or directory, open '/no/such/file'",
    )
    expect((await run(dying('ignore'))).result).toMatchObject({ failure: null, boots: 1 })
    const restarted = await run(dying('restart'))
    expect(restarted.result.failure).toBeNull()
    expect(restarted.result.boots).toBeGreaterThan(2)
  })

  it('knows what an operation that broke may have done', async () => {
    const { result } = await run({
      processes: {},
      workload: {
        ...IDLE,
        run: async ({ operation }) => {
          await operation('a', () => Promise.reject(new Error('reset')))
          await operation('b', () => fail('refused'))
          await operation('c', { timeoutVirtualMs: 20 }, () => sleep(1000))
          sometimes(true, 'reached the end')
        },
      },
    })
    expect(result.operations).toEqual([
      { f: 'a', ok: 0, fail: 0, info: 1 },
      { f: 'b', ok: 0, fail: 1, info: 0 },
      { f: 'c', ok: 0, fail: 0, info: 1 },
    ])
    expect(result.assertions).toMatchObject([{ message: 'reached the end', passed: 1 }])
  })
})

describe('a detector', () => {
  const forever = new Promise<void>(() => {})
  it.each<[string, SimulationDefinition]>([
    ['deadlock', { processes: {}, workload: { ...IDLE, run: () => forever } }],
    [
      'livelock',
      {
        processes: {
          p: {
            run: (_process, node) => {
              const again = (): void => void node.globalThis.setImmediate(again)
              again()
            },
          },
        },
        workload: { ...IDLE, run: () => forever },
        limits: { stepsPerVirtualMs: 500 },
      },
    ],
    [
      'time-budget',
      {
        processes: { p: { run: (_process, node) => void node.globalThis.setInterval(() => {}, 1000) } },
        workload: { ...IDLE, run: () => forever },
        limits: { virtualMs: 60_000 },
      },
    ],
    [
      'step-budget',
      {
        processes: { p: { run: (_process, node) => void node.globalThis.setInterval(() => {}, 1) } },
        workload: { ...IDLE, run: () => forever },
        limits: { steps: 2000 },
      },
    ],
  ])('finds a planted %s, and calls it that', async (category, definition) => {
    const { result } = await run(definition)
    expect(result.failure?.category).toBe(category)
  })

  it('is quiet about a busy system that makes progress', async () => {
    const { result } = await run({
      processes: { p: { run: (_process, node) => void node.globalThis.setInterval(() => {}, 1) } },
      workload: { ...IDLE, operations: 20, spanMs: 2000 },
    })
    expect(result.failure).toBeNull()
    expect(result.steps).toBeGreaterThan(2000)
  })
})
