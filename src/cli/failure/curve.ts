/** `wavetank curve FILE`: how likely the failure of a race was at each of its decisions, and from where it was doomed. */
import type { Command } from 'commander'
import { actorOf } from '../../explore/running/recording.ts'
import type { RaceFinding } from '../../explore/finding/finding.ts'
import { macrotask } from '../../explore/running/macrotask.ts'
import {
  decisions,
  probabilityCurve,
  type ProbabilityCurve,
} from '../../explore/finding/probability-curve.ts'
import { PLAIN, type Paint } from '../../report/form/paint.ts'
import { describe, json, natural, output, parse, positive } from '../arguments.ts'
import { openRace, openRaceTrace } from './open-failure.ts'
import { checkOutput, LiveLine, paintFor, write } from '../terminal.ts'

interface CurveCommand {
  readonly runs: number
  readonly seed: number
  readonly json?: boolean
  readonly output?: string
}

export function command(): Command {
  return describe('curve')
    .argument('<file>', 'the trace file of a race')
    .option('--runs <n>', 'runs per decision', positive, 100)
    .option('--seed <n>', 'the seed of what is left to chance', natural, 1)
    .addOption(json())
    .addOption(output('the curve'))
}

export async function run(args: readonly string[]): Promise<number> {
  const given = parse(command(), args)
  if (given === null) return 0
  const { runs: runsPerPoint, seed, json: asJson = false, output: path } = given.opts<CurveCommand>()
  checkOutput(path)
  const [file] = given.args
  const trace = openRaceTrace(file, 'curve')
  const { program } = await openRace(trace, file)
  const { finding } = trace.config
  const curve = await drive(
    probabilityCurve(program, finding, { runsPerPoint, seed }),
    decisions(finding).length + 1,
  )
  const paint = path === undefined ? paintFor(process.stdout) : PLAIN
  const text = asJson ? JSON.stringify(curve, null, 1) : curveText(finding, curve, paint)
  write(`${text}\n`, path)
  return 0
}

/** A point per turn of the host's loop. */
async function drive(curve: ReturnType<typeof probabilityCurve>, most: number): Promise<ProbabilityCurve> {
  const live = new LiveLine()
  for (let done = 1; ; done++) {
    const { value, done: over } = await macrotask(() => curve.next())
    if (over === true) {
      live.clear()
      return value
    }
    live.show(`${done} of at most ${most} decisions`)
  }
}

const BAR_WIDTH = 20
const EIGHTHS = ['', '▏', '▎', '▍', '▌', '▋', '▊', '▉']

/** One bar per decision, with what was decided. */
export function curveText(finding: RaceFinding, curve: ProbabilityCurve, paint: Paint = PLAIN): string {
  const rows = new Map(finding.schedule.map((row) => [row.step, row]))
  const decided = curve.points.map(({ step, probability }) => {
    const row = rows.get(step)
    const what = row === undefined ? 'from the beginning' : `${actorOf(row)}: ${row.what}`
    return { step, probability, what }
  })
  const width = Math.max(...decided.map(({ what }) => what.length))
  const lines = decided.map(({ step, probability, what }) => {
    const share = `${Math.round(probability * 100)}`.padStart(3)
    const note = [
      step === curve.decisive ? 'decisive' : '',
      step === curve.doomedAfter ? 'doomed from here' : '',
    ].filter((part) => part !== '')
    const mark = note.length === 0 ? '' : `  ← ${note.join(', ')}`
    return `${String(step).padStart(7)}  ${what.padEnd(width)}  ${share} %  ${bar(probability)}${paint.bad(mark)}`.trimEnd()
  })
  return [
    `${finding.title}: ${finding.failure.message}`,
    `  how likely that was after each decision, had the rest been left to chance (${curve.runsPerPoint} runs each)`,
    '',
    ...lines,
  ].join('\n')
}

function bar(probability: number): string {
  const eighths = Math.round(probability * BAR_WIDTH * 8)
  return '█'.repeat(Math.floor(eighths / 8)) + EIGHTHS[eighths % 8]
}
