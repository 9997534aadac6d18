/**
 * Of every unique bug that a campaign found, one failing seed: written to a trace file as soon as the bug is seen, so that
 * a campaign that is ended loses nothing; and after the campaign the seed with the lowest number, shrunk, with its story.
 *
 * A file that cannot be written, or a run that cannot be recorded, costs the file and never the verdict: what went wrong
 * is a note in the result.
 */
import { renameSync, rmSync } from 'node:fs'
import type { LevelName } from '../faults/levels.ts'
import { isLossCategory } from '../sim/campaign/lost-seed.ts'
import type { HostClock, SeedJob, SeedReport } from '../sim/campaign/executor.ts'
import type {
  CampaignResult,
  FailureArtefact,
  SeedResult,
  ShrinkSummary,
  Story,
} from '../sim/campaign/result.ts'
import type { Failure } from '../sim/running/failure.ts'
import { failurePath, foundPath, keepTrace, makeRunFolder, replayCommand, seedCommand } from './keep.ts'
import type { RunRecorder } from './recorded-run.ts'
import { shrinkSeed, type ShrinkLimits } from './shrink-simulation.ts'
import { simulationTrace } from './simulation-trace.ts'
import { storyOf } from './story.ts'
import type { InlineCommand } from './trace-file.ts'

export interface KeepOptions {
  readonly recorder: RunRecorder
  readonly clock: HostClock
  readonly name: string
  readonly level: LevelName
  /** The project's root. */
  readonly root: string
  /** The folder for runs. */
  readonly output: string
  /** The simulation's file; empty for an inline one, whose recorder knows it. */
  readonly file: string
  /** For an inline simulation: the file that declares it, and how to reach it again. */
  readonly inline: { readonly file: string; readonly command: InlineCommand } | null
}

export interface Kept {
  readonly artefacts: readonly FailureArtefact[]
  /** What could not be kept, and why. */
  readonly notes: readonly string[]
  /** Real time that shrinking took. */
  readonly shrinkMs: number
}

/** The limits for one of the failures; `left` is how many there still are, with it. */
export type LimitsFor = (left: number) => ShrinkLimits

export class FailureKeeper {
  private readonly options: KeepOptions
  private readonly notes = new Set<string>()
  /** By signature: what was written when the bug was first seen. It never rejects. */
  private readonly found = new Map<string, Promise<FailureArtefact | null>>()
  private folder: string | null = null
  private shrinkMs = 0

  constructor(options: KeepOptions) {
    this.options = options
  }

  /** A seed came back. If it shows a new bug, its trace is written at once, as it is. */
  see({ seed, failure }: SeedResult): void {
    if (failure === null || this.found.has(failure.signature)) return
    this.found.set(
      failure.signature,
      this.attempt(seed, () => this.write(seed, failure, foundPath, null)),
    )
  }

  /** The campaign is over: every bug gets its file. `limitsFor` is null if nothing is to be shrunk. */
  async keep({ failures }: CampaignResult, limitsFor: LimitsFor | null): Promise<Kept> {
    const artefacts: FailureArtefact[] = []
    for (const [index, { seed, failure }] of failures.entries()) {
      const limits = isLossCategory(failure.category) ? null : (limitsFor?.(failures.length - index) ?? null)
      const path = (folder: string): string => failurePath(folder, index + 1)
      const early = (await this.found.get(failure.signature)) ?? null
      const made =
        limits === null && early?.seed === seed && early.file !== null
          ? await this.attempt(seed, () => renamed(early, path(this.folder!)))
          : await this.attempt(seed, () => this.write(seed, failure, path, limits))
      const kept = made ?? early
      if (kept !== null) artefacts.push(kept)
    }
    await this.removeOthers(artefacts)
    return { artefacts, notes: [...this.notes], shrinkMs: this.shrinkMs }
  }

  /** Files of the first sight that better ones have replaced. */
  private async removeOthers(kept: readonly FailureArtefact[]): Promise<void> {
    const names = new Set(kept.map(({ file }) => file))
    for (const early of await Promise.all(this.found.values())) {
      if (early !== null && early.file !== null && !names.has(early.file)) rmSync(early.file, { force: true })
    }
  }

  private async attempt<T>(seed: number, make: () => T | Promise<T>): Promise<T | null> {
    try {
      return await make()
    } catch (error) {
      this.note(seed, error)
      return null
    }
  }

  private note(seed: number, error: unknown): void {
    this.notes.add(`the failure of seed ${seed} is not kept: ${(error as Error).message}`)
  }

  private async write(
    seed: number,
    failure: Failure,
    pathIn: (folder: string, seed: number) => string,
    limits: ShrinkLimits | null,
  ): Promise<FailureArtefact> {
    const { root, inline, file, name, level } = this.options
    const job = { simulation: { file, name }, level, seed }
    const { report, story, shrunk, strictDiskOnly } = await this.smallest(job, failure, limits)
    const declared = { ...job, simulation: { file: inline?.file ?? file, name } }
    const trace = simulationTrace(declared, report, { root, shrunk, inline: inline?.command ?? null })
    const strict = strictDiskOnly ? ({ strictDiskOnly } as const) : {}
    const kept = { seed, signature: failure.signature, shrunk, story, ...strict }
    try {
      const path = pathIn(this.runFolder(), seed)
      return { ...kept, file: path, replay: keepTrace(path, trace) }
    } catch (error) {
      this.note(seed, error)
      return { ...kept, file: null, replay: seedCommand(name, level, seed) }
    }
  }

  private runFolder(): string {
    this.folder ??= makeRunFolder(this.options.output, this.options.name, new Date())
    return this.folder
  }

  /** One run to learn the choices, the shrinker's attempts, and one run that records hashes and story. */
  private async smallest(job: SeedJob, failure: Failure, limits: ShrinkLimits | null): Promise<Smallest> {
    const { recorder, clock } = this.options
    if (isLossCategory(failure.category)) {
      // Each of its runs loses a thread and ends without a record: it is kept as it is.
      const report = await recorder.run({ ...job, keepChoices: true })
      const story = storyOf([], report.result.failure)
      return { report, story, shrunk: null, strictDiskOnly: false }
    }
    const begunMs = clock.nowMs()
    const small = limits === null ? null : await shrinkSeed(recorder, job, limits)
    if (small !== null) this.shrinkMs += clock.nowMs() - begunMs
    const smallest = small?.job ?? job
    const { report, story } = await recorder.record({ ...smallest, keepChoices: true, keepHashes: true })
    const strictDiskOnly = report.result.disk === 'posix' && !(await this.failsOnJournal(smallest, failure))
    return { report, story, shrunk: small?.summary ?? null, strictDiskOnly }
  }

  /** Whether the run also fails if its disks keep what a journal keeps. */
  private async failsOnJournal(job: SeedJob, { signature }: Failure): Promise<boolean> {
    const { result } = await this.options.recorder.run({ ...job, disk: 'ext4', misfit: 'bend' })
    return result.failure?.signature === signature
  }
}

interface Smallest {
  readonly report: SeedReport
  readonly story: Story
  readonly shrunk: ShrinkSummary | null
  readonly strictDiskOnly: boolean
}

function renamed(artefact: FailureArtefact, path: string): FailureArtefact {
  renameSync(artefact.file!, path)
  return { ...artefact, file: path, replay: replayCommand(path) }
}
