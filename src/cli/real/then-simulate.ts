/**
 * `wavetank real test --then-simulate`: a failure of real processes, tried in the tank. The faults of the run become the
 * script of a simulation file beside the simulation, which anyone can read, edit and run; a campaign of it gives a shrunk
 * trace if the tank fails as well.
 */
import { writeFileSync } from 'node:fs'
import { basename, dirname, join, relative } from 'node:path'
import { UsageError } from '../../kernel/errors.ts'
import { faultScript } from '../../real/running/fault-script.ts'
import type { RealResult } from '../../real/running/result.ts'
import type { RunFolder } from '../../real/running/store.ts'
import type { Simulation } from '../../sim/authoring/definition.ts'
import { run } from '../run/command.ts'

const SEEDS = 100
const SHRINK_TIME = '60s'
/** Turns of one client: a long run is cut to this, or a seed would take minutes. */
const MOST_TURNS = 300

/** Refuses before the run what could not be simulated after it. */
export function checkSimulable({ name, definition }: Simulation): void {
  const real = Object.values(definition.processes).find(({ system }) => system !== undefined)
  if (real !== undefined)
    throw wrong(`${name} runs ${real.system!.name}, which the tank cannot run: it simulates Node programs`)
}

function wrong(reason: string): UsageError {
  return new UsageError('ERR_WAVETANK_ARGUMENTS', `wavetank real test --then-simulate: ${reason}`)
}

/** Runs the campaign. What it finds changes nothing about the verdict of the real run. */
export async function thenSimulate(result: RealResult, folder: RunFolder, asJson: boolean): Promise<void> {
  const say = (text: string): void => void process.stderr.write(`${text}\n`)
  if (result.verdict !== 'violated') {
    say(`nothing to simulate: the run is ${result.verdict === 'held' ? 'a pass' : 'unknown'}`)
    return
  }
  // The tank sees the files of the project, and not the folder of results.
  const path = join(dirname(result.file), `${result.name.replaceAll(' ', '-')}.from-real.sim.mjs`)
  writeFileSync(path, simulationFile(result, folder))
  const file = relative(process.cwd(), path)
  say(`the same faults in the tank: ${file}, ${SEEDS} seeds`)
  const report = folder.file('simulated.json')
  const form = asJson ? ['--json', '-o', report] : []
  const seeds = ['--level', 'sunny', '--seeds', String(SEEDS), '--bail', '--no-corpus']
  const code = await run([file, ...seeds, '--shrink-time', SHRINK_TIME, ...form])
  say(
    code === 1
      ? 'the tank fails, too: the trace above is shrunk'
      : 'the tank does not fail with these faults',
  )
}

function simulationFile(result: RealResult, folder: RunFolder): string {
  const { name, file, nodes, tankNames, counts, concurrency } = folder.test()
  const chaos = folder.storedEvents().find((event) => event.name === 'phase' && event.data === 'chaos')
  const script = faultScript(result.faults, {
    beganUs: chaos?.timeUs ?? 0,
    untilUs: result.failures[0]?.timeUs ?? Infinity,
    nameOf: (node) => tankNames[nodes.indexOf(node)],
  })
  const windowMs = Math.ceil(result.timeLimitS * 1000)
  const turns = Math.max(1, Math.min(MOST_TURNS, Math.ceil(result.load.turns / concurrency)))
  return `// The faults of a real run of ${name}, seed ${result.seed}, for the tank. Run it with \`npx wavetank run\` and its path.
import { simulation } from 'wavetank'
import * as declared from ${JSON.stringify(`./${basename(file)}`)}

const all = [...Object.values(declared), ...Object.values(declared.default ?? {})]
const { definition } = all.find((each) => each?.kind === 'wavetank simulation' && each.name === ${JSON.stringify(name)})
const counts = ${JSON.stringify(counts)}
const mapped = (record, change) => record && Object.fromEntries(Object.entries(record).map(([key, value]) => [key, change(value, key)]))

export default simulation(${JSON.stringify(`${name} as on real processes`)}, {
  ...definition,
  processes: mapped(definition.processes, (each, group) => ({
    ...each,
    ...(each.count === undefined ? {} : { count: counts[group] }),
  })),
  workload: { ...definition.workload, clients: ${concurrency}, operations: ${turns}, spanMs: ${windowMs} },
  levels: { ...definition.levels, sunny: { ...definition.levels?.sunny, windowMs: [${windowMs}, ${windowMs}] } },
  script: ${JSON.stringify(script, null, 2).replaceAll('\n', '\n  ')},
})
`
}
