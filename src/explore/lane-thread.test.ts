import { afterEach, describe, expect, it } from 'vitest'
import type { UsageError } from '../kernel/errors.ts'
import { LaneBoard } from './lane-board.ts'
import { laneThreads, type ThreadHost } from './lane-thread.ts'
import type { LaneThread } from './lanes.ts'

/** A thread's program, which has its order and can speak. */
const program = (source: string): URL =>
  new URL(
    `data:text/javascript,${encodeURIComponent(`
      import { parentPort, workerData } from 'node:worker_threads'
      const { lane, of, options, output } = workerData
      const cells = new Int32Array(workerData.board)
      const enter = (iteration) => Atomics.store(cells, 1 + lane, iteration)
      ${source}`)}`,
  )

const threads: LaneThread[] = []
afterEach(async () => {
  for (const thread of threads.splice(0)) await thread.stop()
})

function start(source: string, host: Partial<ThreadHost> = {}, onOutput?: (text: string) => void) {
  const board = new LaneBoard(3)
  const subject = { file: '/bank.race.ts', name: 'deposits', options: { seed: 5 } }
  const all = laneThreads({ worker: program(source), every: () => () => {}, ...host }, subject, onOutput)
  const thread = all.start({ lane: 1, of: 3 }, board)
  threads.push(thread)
  return { board, thread }
}

/** The error with which a thread has ended its lane. */
async function thrownBy({ thread }: { readonly thread: LaneThread }): Promise<UsageError> {
  return ((await thread.report).end as { thrown: UsageError }).thrown
}

const REPORT = 'iterations: 4, steps: 9, schedulesBy: { pos: 4 }'

describe('a thread of a lane', () => {
  it('is told what to run, and reports it', async () => {
    const { thread, board } = start(`
      const { strategy, seed, iterations, maxSteps } = options
      const text = [lane, of, strategy, seed, iterations, maxSteps, output].join()
      parentPort.postMessage({ report: { ${REPORT}, end: { iteration: 8, choices: [], key: 'k', message: text } } })`)
    expect(await thread.report).toEqual({
      iterations: 4,
      steps: 9,
      schedulesBy: { pos: 4 },
      end: { iteration: 8, choices: [], key: 'k', message: '1,3,portfolio,5,2000,10000,false' },
    })
    await thread.stop()
    expect(board.last).toBeGreaterThan(1e9) // its exit after that says nothing
  })

  it('hands over what programs print where somebody listens', async () => {
    const heard: string[] = []
    const source = `parentPort.postMessage({ output: String(output) }); parentPort.postMessage({ report: { ${REPORT}, end: null } })`
    const { thread } = start(source, {}, (text) => heard.push(text))
    await thread.report
    expect(heard).toEqual(['true'])
  })

  it('that cannot be loaded ends its lane before the first schedule', async () => {
    const lane = start(`import 'data:text/javascript,no%20script'`)
    const error = await thrownBy(lane)
    expect(error.code).toBe('ERR_WAVETANK_WORKER')
    expect(error.message).toMatch(/^race: a worker thread died before schedule 2, its first: Unexpected/)
    expect(lane.board.last).toBe(2)
    expect(lane.board.take(1)).toBe(false)
  })

  it('that dies ends its lane where it was', async () => {
    const lane = start(`enter(8); throw new Error('broken')`)
    expect((await thrownBy(lane)).message).toBe('race: a worker thread died at schedule 8: broken')
    expect(lane.board.last).toBe(8)
  })

  it('that exits without a report ends its lane', async () => {
    const { message } = await thrownBy(start(`enter(5); process.exit(3)`))
    expect(message).toBe('race: a worker thread died at schedule 5: it exited with code 3')
  })

  it('that runs out of memory ends its lane', async () => {
    const limits = { resourceLimits: { maxOldGenerationSizeMb: 16 } }
    const { message } = await thrownBy(
      start(`enter(5); const kept = []; for (;;) kept.push(new Array(1e5).fill(kept.length))`, limits),
    )
    expect(message).toMatch(/^race: a worker thread died at schedule 5: .*memory/)
  })

  it('that cannot be started ends its lane', async () => {
    const { message } = await thrownBy(start('', { execArgv: ['--no-such-flag'] }))
    expect(message).toMatch(
      /^race: a worker thread could not be started before schedule 2, its first: .*no-such-flag/,
    )
  })

  it('is stopped in a loop without end, and then ends nothing', async () => {
    const { thread, board } = start(`enter(2); for (;;);`)
    while (board.at(1) === 0) await new Promise((resolve) => setImmediate(resolve))
    await thread.stop()
    expect(board.last).toBeGreaterThan(1e9)
  })
})
