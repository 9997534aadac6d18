/** The tank in this thread: Node's internals, the project as a disk image, and the executor that uses them. */
import { projectImage } from '../node/bindings/fs-image.ts'
import { NodeThread } from '../node/index.ts'
import type { SeedExecutor, SeedJob, SeedReport } from './campaign/executor.ts'
import type { Simulation } from './definition.ts'
import type { TankHost } from './programs.ts'
import { runSeed, type RunRecord } from './run.ts'

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
  const image = root === null ? [] : [{ at: root, from: root, reader: projectImage() }]
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
  readonly lanes = 1
  private readonly host: TankHost
  private last: Promise<unknown> = Promise.resolve()

  constructor(host: TankHost) {
    this.host = host
  }

  async run(job: SeedJob): Promise<SeedReport> {
    return { ...reportOf(await this.record(job)), lane: 0 }
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
export function reportOf({
  result,
  hashes,
  choices,
  program,
  nextActor,
  account,
}: RunRecord): Omit<SeedReport, 'lane'> {
  return { result, hashes, choices, program, nextActor, account }
}
