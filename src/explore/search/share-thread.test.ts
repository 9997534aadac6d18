import { afterEach, describe, expect, it } from 'vitest'
import type { UsageError } from '../../kernel/errors.ts'
import { ShareBoard } from './share-board.ts'
import { shareThreads, type ThreadHost } from './share-thread.ts'
import type { ShareThread } from './shares.ts'

/** A thread's program, which has its order and can speak. */
const program = (source: string): URL =>
  new URL(
    `data:text/javascript,${encodeURIComponent(`
      import { parentPort, workerData } from 'node:worker_threads'
      const { share, of, options, output } = workerData
      const cells = new Int32Array(workerData.board)
      const enter = (iteration) => Atomics.store(cells, 1 + share, iteration)
      ${source}`)}`,
  )

const threads: ShareThread[] = []
afterEach(async () => {
  for (const thread of threads.splice(0)) await thread.stop()
})

function start(source: string, host: Partial<ThreadHost> = {}, onOutput?: (text: string) => void) {
  const board = new ShareBoard(3)
  const subject = { file: '/bank.race.ts', name: 'deposits', options: { seed: 5 } }
  const all = shareThreads({ worker: program(source), every: () => () => {}, ...host }, subject, onOutput)
  const thread = all.start({ share: 1, of: 3 }, board)
  threads.push(thread)
  return { board, thread }
}

/** The error with which a thread has ended its share. */
async function thrownBy({ thread }: { readonly thread: ShareThread }): Promise<UsageError> {
  return ((await thread.report).end as { thrown: UsageError }).thrown
}

const REPORT = 'iterations: 4, steps: 9, schedulesBy: { pos: 4 }'

describe('a thread of a share', () => {
  it('gets what to run, and reports it', async () => {
    const { thread, board } = start(`
      const { strategy, seed, iterations, maxSteps } = options
      const text = [share, of, strategy, seed, iterations, maxSteps, output].join()
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

  it('passes on what programs print if the exploration wants it', async () => {
    const heard: string[] = []
    const source = `parentPort.postMessage({ output: String(output) }); parentPort.postMessage({ report: { ${REPORT}, end: null } })`
    const { thread } = start(source, {}, (text) => heard.push(text))
    await thread.report
    expect(heard).toEqual(['true'])
  })

  it('that cannot be loaded ends its share before the first schedule', async () => {
    const share = start(`import 'data:text/javascript,no%20script'`)
    const error = await thrownBy(share)
    expect(error.code).toBe('ERR_WAVETANK_WORKER')
    expect(error.message).toMatch(/^race: a worker thread died before schedule 2, its first: Unexpected/)
    expect(share.board.last).toBe(2)
    expect(share.board.take(1)).toBe(false)
  })

  it('that dies ends its share where it was', async () => {
    const share = start(`enter(8); throw new Error('broken')`)
    expect((await thrownBy(share)).message).toBe('race: a worker thread died at schedule 8: broken')
    expect(share.board.last).toBe(8)
  })

  it('that exits without a report ends its share', async () => {
    const { message } = await thrownBy(start(`enter(5); process.exit(3)`))
    expect(message).toBe('race: a worker thread died at schedule 5: it exited with code 3')
  })

  it('that runs out of memory ends its share', async () => {
    const limits = { resourceLimits: { maxOldGenerationSizeMb: 16 } }
    const { message } = await thrownBy(
      start(`enter(5); const kept = []; for (;;) kept.push(new Array(1e5).fill(kept.length))`, limits),
    )
    expect(message).toMatch(/^race: a worker thread died at schedule 5: .*memory/)
  })

  it('that cannot be started ends its share', async () => {
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
