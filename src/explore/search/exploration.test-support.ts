/** Explorations of closures for tests: of what must hold, and of what must be found. */
import type { RaceFinding } from '../finding/finding.ts'
import type { RaceBody } from '../running/environment.ts'
import { exploreClosure } from './closure.ts'
import type { ExploreResult } from './exploration.ts'
import type { ExploreOptions } from './options.ts'

/** The result of an exploration that holds; an error if it finds something. */
export async function hold(body: RaceBody, options: ExploreOptions = {}): Promise<ExploreResult> {
  const exploration = await exploreClosure(body, options)
  if (exploration.kind !== 'found') return exploration.result
  throw new Error(`found: ${exploration.finding.failure.message}`, { cause: exploration.finding })
}

/** What an exploration finds; an error if it holds. */
export async function find(body: RaceBody, options: ExploreOptions = {}): Promise<RaceFinding> {
  const exploration = await exploreClosure(body, { iterations: 500, ...options })
  if (exploration.kind === 'found') return exploration.finding
  throw new Error(`nothing was found: ${exploration.result.summary}`)
}
