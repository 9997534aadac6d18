/** The tank in this thread: Node's internals, the project as a disk image, and the executor that uses them. */
import { NodeThread, projectMounts } from '../../node/index.ts'
import type { SeedExecutor, SeedJob, SeedReport } from './executor.ts'
import type { Simulation } from '../authoring/definition.ts'
import type { TankHost } from '../running/programs.ts'
import { runSeed, type RunRecord } from '../running/run.ts'

/** Enough for a slice of what happened last; a replay keeps everything. */
const TRACE_CAPACITY = 4096

export interface ThreadHostOptions {
  /** The project's root: what simulated disks show read-only. Null for inline simulations, whose disks are empty. */
  readonly root: string | null
  readonly hostModules: Readonly<Record<string, unknown>>
  readonly inline?: Simulation
  readonly traceCapacity?: number
  readonly progress?: (step: number) => void
}

export function threadHost(options: ThreadHostOptions): TankHost {
  const thread = NodeThread.get()
  const { root, traceCapacity = TRACE_CAPACITY, ...rest } = options
  const image = root === null ? [] : projectMounts(root)
  const run: TankHost['run'] = async (kernel) => {
    try {
      return await thread.run(kernel)
    } finally {
      thread.endWorld()
    }
  }
  return { ...rest, image, traceCapacity, run }
}

/** Runs jobs one after another in this thread. */
export class ThreadExecutor implements SeedExecutor {
  readonly threads = 1
  private readonly host: TankHost
  private last: Promise<unknown> = Promise.resolve()

  constructor(host: TankHost) {
    this.host = host
  }

  async run(job: SeedJob): Promise<SeedReport> {
    return reportOf(await this.record(job))
  }

  async runTwice(job: SeedJob): Promise<readonly [SeedReport, SeedReport]> {
    return [await this.run(job), await this.run(job)]
  }

  /** A run with everything about it. */
  record(job: SeedJob): Promise<RunRecord> {
    const run = this.last.then(() => runSeed(job, this.host))
    this.last = run.catch(() => {})
    return run
  }

  async close(): Promise<void> {
    await this.last
  }
}

/** The part of a record that goes to other threads. */
export function reportOf({ result, hashes, choices, program, nextActor, account }: RunRecord): SeedReport {
  return { result, hashes, choices, program, nextActor, account }
}
