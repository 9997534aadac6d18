/**
 * Shrinking a failing simulation: the kernel's shrinker, told what a simulation is made of. Wholes that may be left out
 * are fault episodes, clients, operations, the sizes of groups; what counts is the number of faults first, then the
 * number of operations. A candidate must fail with the same signature.
 *
 * The result is 1-minimal: no fault, no operation and no choice can be left out; shrinking it again changes nothing.
 */
import type { Choice } from '../kernel/choices.ts'
import { shrink as shrinkChoices } from '../kernel/shrink.ts'
import { UsageError } from '../kernel/errors.ts'
import type { SeedExecutor, SeedJob, SeedReport } from './campaign/executor.ts'
import { signatureOf } from './failure.ts'

export interface ShrinkOptions {
  readonly maxRuns: number
  readonly onProgress?: (runs: number, choices: number) => void
}

export interface Shrunk {
  /** The job that runs the shrunk failure. */
  readonly job: SeedJob
  readonly report: SeedReport
  /** Non-zero choices before and after. */
  readonly before: number
  readonly after: number
  /** Fault episodes that are left. */
  readonly faults: number
  readonly runs: number
  /** False when the budget ended before nothing more could be left out. */
  readonly minimal: boolean
}

/** From big to small. */
const WHOLES: readonly ((choice: Choice) => string | null)[] = [
  // all that one kind of thing decides: links, disks, the swarm's coins
  (choice) => choice.entity.split(' ', 1)[0],
  // a fault family, an episode
  (choice) => (isFault(choice) ? choice.entity.replace(/ #\d+$/, '') : null),
  (choice) => (isFault(choice) ? choice.entity : null),
  (choice) => /^client \d+/.exec(choice.entity)?.[0] ?? null,
  (choice) => /^client \d+ operation #\d+/.exec(choice.entity)?.[0] ?? null,
]

export async function shrink(
  executor: SeedExecutor,
  failing: SeedJob,
  options: ShrinkOptions,
): Promise<Shrunk> {
  const first = await executor.run({ ...failing, keepChoices: true })
  const { failure } = first.result
  if (failure === null)
    throw new UsageError('ERR_WAVETANK_NOT_FAILING', `shrink: seed ${failing.seed} does not fail`)
  const signature = signatureOf(failure)
  const jobOf = (overrides: readonly Choice[]): SeedJob => {
    return { ...failing, base: 'zero', overrides, misfit: 'bend', keepChoices: true }
  }
  const shrunk = await shrinkChoices(first.choices, {
    maxRuns: options.maxRuns,
    wholes: WHOLES,
    weigh: (choices) => [faultsIn(choices), choices.filter(isOperation).length],
    attempt: async (candidate) => {
      const { result, choices } = await executor.run(jobOf(candidate))
      return result.failure !== null && signatureOf(result.failure) === signature ? choices : null
    },
    onProgress: (runs, choices) => options.onProgress?.(runs, choices.length),
  })
  const job = jobOf(shrunk.choices)
  return {
    job,
    report: await executor.run(job),
    before: first.choices.length,
    after: shrunk.choices.length,
    faults: faultsIn(shrunk.choices),
    runs: shrunk.runs,
    minimal: shrunk.minimal,
  }
}

function isFault({ entity }: Choice): boolean {
  return entity.startsWith('nemesis ') || entity.startsWith('buggify ')
}

function isOperation({ label, entity }: Choice): boolean {
  return label === 'happens' && entity.startsWith('client ')
}

function faultsIn(choices: readonly Choice[]): number {
  return new Set(choices.filter(isFault).map((choice) => choice.entity)).size
}
