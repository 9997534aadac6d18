/**
 * A campaign's result for people: what held or broke first, then what was done to find out, then the story of every unique
 * bug. Nothing is left to guess: what was never exercised is listed, and every bug has its command.
 */
import { seedCommand } from '../../failures/keep.ts'
import { isPromise, statusOf, type AssertionSummary } from '../../sim/authoring/assertion-table.ts'
import { isViolation, type Failure, type UniqueBug } from '../../sim/running/failure.ts'
import type {
  CampaignResult,
  CampaignVerdict,
  FailureArtefact,
  FaultCount,
} from '../../sim/campaign/result.ts'
import type { SituationCount } from '../../sim/campaign/situations.ts'
import type { StopReason } from '../../sim/campaign/stop-rule.ts'
import { PLAIN, type Paint } from '../form/paint.ts'
import { printable } from '../form/printable.ts'
import { count, counted, duration } from '../form/quantity.ts'
import { runDifferenceText } from '../failure/run-difference.ts'
import { choicesLeft, shrinkSummaryText } from '../failure/shrunk-text.ts'
import { storyText } from '../failure/story.ts'
import { table } from '../form/table.ts'

export function campaignText(result: CampaignResult, paint: Paint = PLAIN): string {
  const differences = result.verified.differences.map((each) => runDifferenceText(each, paint))
  const blocks = [heading(result, paint), ...failures(result, paint), ...differences, summary(result, paint)]
  if (result.operations.length > 0) blocks.push(operations(result))
  if (result.outcomes.length > 0) blocks.push(outcomes(result))
  if (result.exits.crashed > 0) blocks.push(crashes(result))
  if (result.invariants.length + result.checkers.length > 0) blocks.push(promises(result, paint))
  if (result.assertions.length > 0) blocks.push(assertions(result.assertions, paint))
  if (result.situations.length > 0) blocks.push(situations(result.situations, paint))
  if (result.faults.length > 0) blocks.push(faults(result.faults, paint))
  blocks.push(...result.artefacts.map((artefact) => story(artefact, paint)))
  return blocks.map((lines) => lines.join('\n')).join('\n\n')
}

const VERDICTS: Readonly<
  Record<CampaignVerdict, readonly [mark: string, text: string, colour: 'good' | 'bad' | 'warn']>
> = {
  held: ['✓', 'held', 'good'],
  violated: ['✗', 'violated', 'bad'],
  'coverage-gap': ['◌', 'nothing broke, but there is a gap', 'warn'],
  unknown: ['?', 'unknown', 'warn'],
}

function heading(result: CampaignResult, paint: Paint): string[] {
  const [mark, text, colour] = VERDICTS[result.verdict]
  const disk = result.disk === 'posix' ? ', strict disks (posix)' : ''
  const title = `${paint[colour](mark)} ${result.name}  ${paint.dim(`level ${result.level}${disk}`)}  ${paint[colour](text)}`
  const notes = result.notes.map((note) => `  ${paint.warn(note)}`)
  return [title, ...result.reasons.map((reason) => `  ${printable(reason)}`), ...notes]
}

/** Bugs of the system, mistakes of the simulation, and runs that say nothing for another reason are told apart. */
function failures(result: CampaignResult, paint: Paint): string[][] {
  const bugs = result.bugs.filter(isViolation)
  const mistakes = result.bugs.filter(({ category }) => category === 'mistake')
  const others = result.bugs.filter((bug) => !bugs.includes(bug) && !mistakes.includes(bug))
  const rowsOf = (list: readonly UniqueBug[]): (string | number)[][] =>
    list.map((bug) => [bugName(bug, result), bug.count, seedList(bug.seeds, bug.count)])
  const block = (list: readonly UniqueBug[], title: string, head: string): string[][] =>
    list.length === 0 ? [] : [[paint.bold(`  ${title}`), ...table([head, 'seeds', 'which'], rowsOf(list))]]
  const messages = result.failures.map(({ seed, failure }) => [
    ...failureLines(seed, failure, paint),
    `    ${paint.dim('again')}  ${commandFor(result, seed, failure)}`,
    ...otherSeeds(result, seed, failure).map((command) => `    ${paint.dim('also')}   ${command}`),
  ])
  return [
    ...block(bugs, counted(bugs.length, 'unique bug'), 'bug'),
    ...block(mistakes, `${counted(mistakes.length, 'mistake')} in the simulation's own code`, 'mistake'),
    ...block(others, `${counted(others.length, 'reason')} why runs cannot be judged`, 'reason'),
    ...messages,
  ]
}

/** One bug of a promise has the promise's name; of several, each has the whole signature. */
function bugName({ signature, category, title }: UniqueBug, { bugs }: CampaignResult): string {
  const alike = bugs.filter((bug) => bug.category === category && bug.title === title)
  return alike.length > 1 ? signature : `${category}: ${title}`
}

const STRICT_ONLY =
  'only with strict disks (posix): on disks that journal, as ext4 does, the same choices do not fail'

function story(artefact: FailureArtefact, paint: Paint): string[] {
  const { seed, shrunk, story: steps, replay, strictDiskOnly } = artefact
  const how = shrunk === null ? '' : `, shrunk ${shrinkSummaryText(shrunk)}`
  return [
    `  ${paint.bold('story')} of seed ${seed}${how}`,
    ...storyText(steps, paint),
    ...(strictDiskOnly === true ? ['', `  ${paint.warn(STRICT_ONLY)}`] : []),
    '',
    ...(shrunk === null ? [] : choicesLeft(shrunk)),
    `  replay  ${replay}`,
  ]
}

/** A recorded failure is replayed; one that was not recorded is run again by its seed. */
function commandFor({ artefacts, name, level }: CampaignResult, seed: number, failure: Failure): string {
  const recorded = artefacts.find((artefact) => artefact.signature === failure.signature)
  return recorded?.replay ?? seedCommand(name, level, seed)
}

/** Seeds beside the first whose command is shown; the table above has more. */
const SHOWN_SEEDS = 4

/** A command for each of the other seeds that show a bug. */
function otherSeeds({ bugs, name, level }: CampaignResult, first: number, { signature }: Failure): string[] {
  const seeds = bugs.find((bug) => bug.signature === signature)?.seeds ?? []
  return seeds
    .filter((seed) => seed !== first)
    .slice(0, SHOWN_SEEDS)
    .map((seed) => seedCommand(name, level, seed))
}

function failureLines(seed: number, failure: Failure, paint: Paint): string[] {
  const lines = [
    `  ${paint.bad(printable(failure.title))}: ${printable(failure.message).replaceAll('\n', '\n    ')}`,
  ]
  lines.push(
    `    ${paint.dim(`seed ${seed}, step ${count(failure.step)}, ${duration(failure.timeUs)} of virtual time`)}`,
  )
  if (failure.stack !== null) {
    const frames = failure.stack.split('\n').filter((line) => /^\s+at /.test(line))
    for (const frame of frames.slice(0, 4)) lines.push(`    ${paint.dim(frame.trim())}`)
  }
  if (failure.category === 'process-exit') lines.push(`    ${paint.dim('hint')}   ${EXIT_HINT}`)
  return lines
}

const EXIT_HINT = "if a supervisor starts this process again, declare it with onExit: 'restart'"

function seedList(seeds: readonly number[], total: number): string {
  const shown = seeds.slice(0, 8).join(' ')
  return total > 8 ? `${shown} …` : shown
}

function summary(result: CampaignResult, paint: Paint): string[] {
  const { seeds, wallMs, simulatedUs, steps, verified } = result
  const failing = seeds.failing.length > 0 ? `, ${counted(seeds.failing.length, 'failing seed')}` : ''
  const rate = wallMs > 0 ? ` (${(seeds.count / (wallMs / 1000)).toFixed(1)} seeds/s)` : ''
  const compression = wallMs > 0 ? `  ${times(simulatedUs / 1000 / wallMs)} real time` : ''
  const lines = [
    `  seeds      ${count(seeds.count)} from ${seeds.first}${failing}${stopText(result.stop, paint)}`,
    `  wall time  ${duration(wallMs * 1000)}${rate}`,
    `  simulated  ${duration(simulatedUs)} in ${counted(steps, 'step')}${compression}`,
  ]
  if (result.boots > 0) lines.push(`  processes  ${processes(result)}`)
  lines.push(`  budget     ${budgetText(result)}`)
  if (result.shrinkMs > 0) lines.push(`  shrinking  ${duration(result.shrinkMs * 1000)} more`)
  if (verified.seeds > 0) {
    const differing =
      verified.differing.length === 0
        ? 'all identical'
        : paint.bad(`differing: ${verified.differing.join(' ')}`)
    lines.push(`  verified   ${counted(verified.seeds, 'seed')} run twice, ${differing}`)
  }
  return lines
}

/** What could fail at once, and once what the level may not do under it. */
function budgetText({ budget }: CampaignResult): string {
  const { dead, clockSkewMs, lyingDisks, byzantineLinks, partitions, unhealed, forbids } = budget
  const allowed = [
    `${dead === 0 ? 'none' : dead === 'minority' ? 'a minority' : dead} out at once`,
    clockSkewMs === 0 ? 'clocks right' : `clocks within ${count(clockSkewMs)} ms`,
    lyingDisks === 0 ? 'no lying disk' : `${lyingDisks} lying ${lyingDisks === 1 ? 'disk' : 'disks'}`,
    byzantineLinks ? 'links that lie' : 'honest links',
    partitions ? 'partitions' : 'no partitions',
    ...(unhealed === 0 ? [] : [`${unhealed === 'minority' ? 'a minority' : unhealed} may stay broken`]),
  ].join(', ')
  return forbids.length === 0 ? allowed : `${allowed}; it forbids ${forbids.join(', ')}`
}

/** `12 boots, 9 restarts, 8 exits by faults, 1 crash`. */
function processes({ boots, exits }: CampaignResult): string {
  const { restarts, ordered, crashed, finished } = exits
  const parts = [
    counted(boots, 'boot'),
    ...(restarts > 0 ? [counted(restarts, 'restart')] : []),
    ...(ordered > 0 ? [`${counted(ordered, 'exit')} by faults`] : []),
    ...(crashed > 0 ? [`${count(crashed)} ${crashed === 1 ? 'crash' : 'crashes'}`] : []),
    ...(finished > 0 ? [`${count(finished)} finished with code 0`] : []),
  ]
  return parts.join(', ')
}

/** `1,204×`, `3.2×`. */
function times(ratio: number): string {
  return `${ratio < 10 ? ratio.toFixed(1) : count(Math.round(ratio))}×`
}

function stopText(stop: StopReason, paint: Paint): string {
  const colour = stop === 'cap' ? 'warn' : 'dim'
  return STOPPED[stop] === '' ? '' : `  ${paint[colour](STOPPED[stop])}`
}

const STOPPED: Readonly<Record<StopReason, string>> = {
  seeds: '',
  time: 'until the time was up',
  stable: 'until coverage was stable',
  cap: 'the cap came before coverage was stable',
  bail: 'stopped at the first failure',
  interrupted: 'interrupted',
}

function operations(result: CampaignResult): string[] {
  const rows = result.operations.map(({ f, ok, fail, info }) => [f, ok, fail, info])
  return table(['operation', 'ok', 'fail', 'unknown'], rows)
}

/** Rows of a table of reasons. */
const SHOWN_REASONS = 5

function outcomes(result: CampaignResult): string[] {
  const rows = result.outcomes.map(({ f, type, reason, times }) => [
    type === 'info' ? 'unknown' : type,
    f,
    times,
    oneLine(reason),
  ])
  return table(['outcome', 'operation', 'times', 'reason'], rows.slice(0, SHOWN_REASONS))
}

function crashes({ exits }: CampaignResult): string[] {
  const rows = exits.crashes.map(({ message, times, unprovoked }) => [times, unprovoked, oneLine(message)])
  return table(['crashes', 'without a fault', 'how'], rows.slice(0, SHOWN_REASONS))
}

const LONGEST_REASON = 100

/** A reason comes from a program: its first line, without what a terminal would obey. */
function oneLine(text: string): string {
  return printable(text.trim().split('\n', 1)[0], LONGEST_REASON)
}

function promises(result: CampaignResult, paint: Paint): string[] {
  const rows = [
    ...result.invariants.map(({ name, checks }) => ['invariant', name, checks]),
    ...result.checkers.map(({ name, checks }) => ['checker', name, checks]),
  ]
  const [head, ...lines] = table(['promise', 'name', 'checks'], rows)
  const idle = (row: number): boolean => result.invariants[row]?.facts === 0
  return [head, ...lines.map((line, row) => (idle(row) ? paint.dim(`${line}  (never saw a fact)`) : line))]
}

function assertions(all: readonly AssertionSummary[], paint: Paint): string[] {
  const [head, ...lines] = table(
    ['assertion', 'kind', 'reached', 'true', 'note'],
    all.map((one) => [one.message, one.kind, one.reached, one.passed, note(one)]),
    '    ',
  )
  const mark = { pass: paint.good('✓'), fail: paint.bad('✗'), miss: paint.warn('◌') }
  return [head, ...lines.map((line, i) => `  ${mark[statusOf(all[i])]} ${line.slice(4)}`)]
}

/** What was seen less often than this hangs on a few seeds: the workload should make it likelier. */
const RARE = 5

function note(one: AssertionSummary): string {
  if (statusOf(one) === 'miss') return one.reached === 0 ? '(never reached)' : '(never true)'
  if (!isPromise(one.kind) && one.passed < RARE) return '(rare)'
  if (one.bound !== null) return `nearest ${one.bound.left} ${one.bound.relation} ${one.bound.right}`
  if (one.buckets.length > 0) return counted(one.buckets.length, 'combination')
  return one.frontier === null ? '' : `${one.frontier.best} of ${one.frontier.of} together`
}

const SITUATIONS: Readonly<
  Record<SituationCount['status'], readonly [mark: string, colour: 'good' | 'warn', note: string]>
> = {
  exercised: ['✓', 'good', ''],
  'under-covered': ['◌', 'warn', 'under-covered'],
  'not-exercised': ['◌', 'warn', 'not exercised'],
}

/** A line for each, and below it what to change where it occurred too rarely. */
function situations(all: readonly SituationCount[], paint: Paint): string[] {
  const rows = all.map(({ name, times, seeds, status }) => [name, times, seeds, SITUATIONS[status][2]])
  const [head, ...lines] = table(['situation', 'times', 'seeds', 'note'], rows, '    ')
  const told = lines.flatMap((line, i) => {
    const [mark, colour] = SITUATIONS[all[i].status]
    return [
      `  ${paint[colour](mark)} ${line.slice(4)}`,
      ...all[i].advice.map((each) => paint.dim(`      ${each}`)),
    ]
  })
  return [head, ...told]
}

function faults(all: readonly FaultCount[], paint: Paint): string[] {
  const rows = all.map(({ family, injected, landed, victims }) => [family, injected, landed, victims])
  const [head, ...lines] = table(['fault', 'injected', 'landed', 'victims'], rows)
  return [
    head,
    ...lines.map((line, i) => {
      if (all[i].landed === 0) return paint.dim(`${line}  (never landed)`)
      const kinds = Object.entries(all[i].kinds ?? {}).sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1))
      return kinds.length === 0 ? line : `${line}  ${kinds.map((kind) => kind.join(' ')).join(', ')}`
    }),
  ]
}
