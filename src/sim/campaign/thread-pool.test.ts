import { afterEach, describe, expect, it } from 'vitest'
import type { SeedJob, SeedReport } from './executor.ts'
import { ThreadPool } from './thread-pool.ts'

/** A thread that listens and never answers. */
const SILENT = new URL(
  `data:text/javascript,${encodeURIComponent(`import { parentPort } from 'node:worker_threads'; parentPort.on('message', () => {})`)}`,
)

const JOB = { seed: 1 } as unknown as SeedJob

/** A pool of one lane and the hands of its clock. */
function watched() {
  let look = (): void => {}
  const time = { wallMs: 0, processorMs: 0 }
  const pool = new ThreadPool({
    lanes: 1,
    worker: SILENT,
    root: '/',
    stuckMs: 10_000,
    clock: {
      nowMs: () => time.wallMs,
      processorMs: () => time.processorMs,
      every: (_, callback) => {
        look = callback
        return () => {}
      },
    },
  })
  /** Lets time pass, of which the thread has a part on a processor. */
  const pass = (wallMs: number, processorMs: number): void => {
    look()
    time.wallMs += wallMs
    time.processorMs += processorMs
    look()
  }
  return { pool, pass }
}

describe('a thread that makes no step', () => {
  const pools: ThreadPool[] = []
  afterEach(async () => {
    for (const pool of pools.splice(0)) await pool.close()
  })

  const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

  /** The report of a run whose thread was given up after some time. */
  async function afterTime(wallMs: number, processorMs: number): Promise<SeedReport | 'running'> {
    const { pool, pass } = watched()
    pools.push(pool)
    let report: SeedReport | 'running' = 'running'
    pool.run(JOB).then(
      (done) => (report = done),
      () => {}, // it still ran when the pool was closed
    )
    await turn()
    pass(wallMs, processorMs)
    await turn()
    // A thread that was given up is followed by another, which is to say whose callback it was: it is stuck as well.
    pass(11_000, 11_000)
    await turn()
    return report
  }

  it('is stuck when it used the processor all the time', async () => {
    expect(await afterTime(11_000, 11_000)).toMatchObject({ lane: 0 })
  })

  it('is waited for while the machine is busy with something else', async () => {
    expect(await afterTime(11_000, 500)).toBe('running')
  })

  it('is not waited for without end', async () => {
    expect(await afterTime(101_000, 500)).toMatchObject({ lane: 0 })
  })
})
