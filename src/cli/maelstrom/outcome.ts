/** What both ways to run a Maelstrom test share: the command that runs it again, the files, the report, the exit code. */
import { reportText } from '../../maelstrom/report-text.ts'
import type { TestSettings } from '../../maelstrom/running/settings.ts'
import type { TestRun } from '../../maelstrom/running/test.ts'
import { storeTest, type TestFacts } from '../../maelstrom/store.ts'
import type { Validity } from '../../maelstrom/workloads/workload.ts'
import { lamportDiagram } from '../../report/maelstrom/lamport-diagram.ts'
import { plotFiles } from '../../report/maelstrom/plots.ts'
import { timelinePage } from '../../report/maelstrom/timeline-page.ts'
import { printable } from '../../report/form/printable.ts'

/** Name and content of each picture of a test. */
function pictures({ concurrency }: TestSettings, { operations, messages }: TestRun): [string, string][] {
  return [
    ['messages.svg', lamportDiagram(messages)],
    ['timeline.html', timelinePage(operations, concurrency)],
    ...plotFiles(operations),
  ]
}

const SAFE = /^[\w./:=,@%+-]+$/
const LARGEST_SEED = 2 ** 31

export function exitCode(valid: Validity): number {
  return valid === true ? 0 : valid === false ? 1 : 2
}

/** A seed for a test that was given none. */
export function drawSeed(): number {
  return Math.floor(Math.random() * LARGEST_SEED)
}

/** The command with its seed. */
export function againCommand(args: readonly string[], seed: number): string {
  const quoted = args.map((each) => (SAFE.test(each) ? each : `'${each.replaceAll("'", `'\\''`)}'`))
  const [action, ...rest] = quoted
  const at = rest.findIndex((each) => each === '--seed')
  if (at >= 0) rest.splice(at, 2)
  return ['npx wavetank maelstrom', action, '--seed', seed, ...rest].join(' ')
}

/** What a test is stored under. */
export function factsOf(settings: TestSettings, seed: number, clock: TestFacts['clock']): TestFacts {
  const { workload, program, nodes, concurrency, nemesis, availability } = settings
  return {
    version: 1,
    workload,
    program: [program.command, ...program.args],
    nodes,
    concurrency,
    nemesis,
    availability,
    seed,
    clock,
  }
}

/** Stores a test and prints its report. */
export function conclude(
  store: string,
  settings: TestSettings,
  facts: TestFacts,
  run: TestRun & { readonly logs: ReadonlyMap<string, readonly string[]> },
  again: string,
): number {
  const report = reportText(settings, run, again)
  const time = new Date().toISOString().replace(/[-:]/g, '')
  const folder = storeTest(store, settings.workload, time, {
    ...run,
    facts,
    report,
    pictures: pictures(settings, run),
  })
  process.stdout.write(`${printable(report)}\nResults are in ${folder}\n`)
  return exitCode(run.results['valid?'])
}
