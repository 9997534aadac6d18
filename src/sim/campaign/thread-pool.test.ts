import { afterEach, describe, expect, it } from 'vitest'
import type { SeedJob, SeedReport } from './executor.ts'
import { ThreadPool } from './thread-pool.ts'

/** A thread that listens and never answers. */
const SILENT = new URL(
  `data:text/javascript,${encodeURIComponent(`import { parentPort } from 'node:worker_threads'; parentPort.on('message', () => {})`)}`,
)

/** A thread that dies of every request, in one way or another. */
function dying(how: string): URL {
  const program = `import { parentPort } from 'node:worker_threads'; parentPort.on('message', () => { ${how} })`
  return new URL(`data:text/javascript,${encodeURIComponent(program)}`)
}

const JOB = { seed: 1 } as unknown as SeedJob

/** A pool of one thread and the hands of its clock. */
function watched() {
  let look = (): void => {}
  const time = { wallMs: 0, processorMs: 0 }
  const pool = new ThreadPool({
    threads: 1,
    worker: SILENT,
    root: '/',
    stuckWallMs: 10_000,
    memoryMb: 512,
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
    pass(21_000, 21_000)
    await turn()
    return report
  }

  it('is stuck when it used the processor all the time', async () => {
    expect(await afterTime(21_000, 21_000)).toMatchObject({ result: { failure: { category: 'stuck' } } })
  })

  it('is waited for while the machine is busy with something else', async () => {
    expect(await afterTime(21_000, 500)).toBe('running')
  })

  it('is not waited for without end', async () => {
    expect(await afterTime(201_000, 500)).toMatchObject({ result: { failure: { category: 'stuck' } } })
  })
})

describe('a thread that is lost', () => {
  const lose = async (how: string) => {
    const clock = { nowMs: () => 0, processorMs: () => 0, every: () => () => {} }
    const worker = dying(how)
    const pool = new ThreadPool({ threads: 1, worker, root: '/', stuckWallMs: 10_000, memoryMb: 64, clock })
    try {
      // The second job shows that the slot has a thread again.
      return [await pool.run(JOB), await pool.run(JOB)].map(({ result }) => result.failure)
    } finally {
      await pool.close()
    }
  }

  it('is a crashed seed when it exits, throws or answers with an error of ours, and is replaced', async () => {
    for (const [how, why] of [
      ['process.exit(3)', 'it exited with code 3'],
      [`throw new Error('no way')`, 'no way'],
      [`parentPort.postMessage({ error: 'a bug' })`, 'a bug'],
    ]) {
      const failures = await lose(how)
      for (const failure of failures) {
        expect(failure).toMatchObject({ category: 'crashed', step: 1 })
        expect(failure!.message).toContain(why)
      }
    }
  })

  it('is a seed out of memory when it outgrows its limit', async () => {
    // Objects, not arrays of numbers: Node 26 does not end a loop that fills those, and it would be a stuck seed.
    const [failure] = await lose('for (const kept = []; ; ) kept.push({ length: kept.length })')
    expect(failure).toMatchObject({ category: 'out-of-memory' })
    expect(failure!.message).toContain('its limit is 64 MB; memoryMb raises it')
  }, 60_000)
})
