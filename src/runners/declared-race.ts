/**
 * One race as a test of the runner. When the test runs, the file of the race is loaded in the tank for every schedule and
 * the body is found by its title. While the file is being loaded there, `race` only adds its body to the collection.
 */
import { UsageError } from '../kernel/errors.ts'
import { currentCollection } from '../explore/authoring/race-collection.ts'
import type { RaceBody } from '../explore/running/environment.ts'
import { programFrame, stackLines } from '../node/bare.ts'
import { checkedOptions, EXPLORE_DEFAULTS, type ExploreOptions } from '../explore/search/options.ts'
import { exploreFile } from '../explore/search/race-file.ts'
import { RaceFound } from '../host/race-found.ts'
import { RaceGap } from '../host/race-gap.ts'
import { findingText } from '../report/race/finding-text.ts'
import { heldText } from '../report/race/held-text.ts'
import type { DeclareTest, RaceHost, RunningTest } from './race-runner.ts'

/** Time for loading, and for a last run that takes long, beyond the budgets of exploring and of explaining. */
const EXTRA_WALL_MS = 50_000

export function declareRace(
  title: string,
  given: ExploreOptions,
  body: RaceBody,
  declare: DeclareTest,
  host: RaceHost,
): void {
  if (typeof body !== 'function') {
    throw new UsageError('ERR_WAVETANK_RACE', `race("${title}"): expected a function as the last argument`)
  }
  const collection = currentCollection()
  if (collection !== null) {
    collection.add({ title, body })
    return
  }
  const options = checkedOptions(given, `race("${title}")`)
  const declaredAt = callingPosition()
  const file = declaredAt.replace(/:\d+:\d+$/, '')
  const run = async (test: RunningTest): Promise<void> => {
    const tank = host.tank(file)
    const settings = { clock: () => host.nowMs(), ...options }
    const exploration = await exploreFile(file, test.name, settings, tank)
    if (exploration.kind === 'found') {
      const { finding } = exploration
      const text = findingText(finding, host.keep(file, finding, options))
      throw new RaceFound(finding, text, { root: tank.root ?? '', declaredAt })
    }
    const { kind, result } = exploration
    if (kind === 'gap') throw new RaceGap(test.name, result, declaredAt)
    const text = heldText(result)
    host.note(`race "${test.name}": ${text}`, !result.outOfTime && result.coverage.contested > 0)
    await test.note(text, result)
  }
  declare(title, run, 2 * (options.budgetWallMs ?? EXPLORE_DEFAULTS.budgetWallMs) + EXTRA_WALL_MS)
}

/** Where `race` was called: the first frame outside this package's own code. */
function callingPosition(): string {
  for (const line of stackLines(20)) {
    const frame = programFrame(line)
    if (frame !== null) return frame.position
  }
  throw new UsageError(
    'ERR_WAVETANK_RACE',
    'race: cannot find the file that declares it on the stack; call race at the top level of a test file',
  )
}
