/** What the fields of a trace file must be. Every field that some command reads is here, so that none of them can crash. */
import { LEVEL_NAMES } from '../faults/levels.ts'
import {
  amount,
  anything,
  count,
  either,
  flag,
  listOf,
  maybe,
  Misshapen,
  nullOr,
  object,
  oneOf,
  recordOf,
  text,
  type Shape,
} from './json-shape.ts'

/** More steps than any limit allows; what depends on their number must stay in memory. */
const MOST_STEPS = 200_000_000

const steps: Shape = (value, at) => {
  count(value, at)
  if ((value as number) > MOST_STEPS) throw new Misshapen(`"${at}" should be at most ${MOST_STEPS}`)
}

/** A file of the project: relative, and inside. */
const projectFile: Shape = (value, at) => {
  text(value, at)
  const path = value as string
  if (
    path === '' ||
    /^(?:[a-z]:)?[\\/]/i.test(path) ||
    path.split(/[\\/]/).includes('..') ||
    path.includes('\0')
  )
    throw new Misshapen(
      `"${at}" should be the path of a file inside the project, not ${JSON.stringify(path)}`,
    )
}

const choice = object({ entity: text, label: text, index: count, n: count, value: count })

const shrinkSummary = object({
  before: count,
  after: count,
  faults: maybe(count),
  left: maybe(listOf(text)),
  runs: count,
  minimal: flag,
})

const simulationFailure = object({
  category: text,
  title: text,
  message: text,
  signature: text,
  step: count,
  timeUs: amount,
  process: nullOr(text),
  stack: nullOr(text),
})

const simulation = object({
  failure: simulationFailure,
  config: object({
    simulation: object({ file: projectFile, name: text }),
    level: oneOf(...LEVEL_NAMES),
    shrunk: nullOr(shrinkSummary),
    inline: nullOr(
      object({
        runner: oneOf('vitest', 'node'),
        file: projectFile,
        titles: nullOr(listOf(text)),
        folder: either(oneOf(''), projectFile),
        nodeFlags: listOf(text),
      }),
    ),
  }),
})

const raceFailure = object({
  category: text,
  key: text,
  message: text,
  stack: nullOr(text),
  step: count,
})

const scheduleStep = object({
  step: count,
  timeUs: amount,
  task: text,
  process: nullOr(text),
  strand: nullOr(text),
  what: text,
  position: nullOr(text),
  inside: nullOr(text),
  via: nullOr(object({ position: text })),
  cause: count,
  access: nullOr(object({ resource: text, write: flag })),
  ready: listOf(text),
  readySteps: listOf(count),
})

const finding = object({
  version: oneOf(1),
  title: text,
  failure: raceFailure,
  iteration: count,
  iterations: nullOr(count), // Infinity is null in JSON
  seed: count,
  strategy: text,
  shrunk: shrinkSummary,
  preemptions: count,
  schedule: listOf(scheduleStep),
  bodyStep: count,
  slice: listOf(count),
  criticalPair: nullOr(object({ first: scheduleStep, second: text, secondStep: nullOr(count) })),
  otherSchedules: maybe(nullOr(object({ runs: count, failing: count }))),
  choices: listOf(choice),
  digest: text,
})

const race = object({
  failure: raceFailure,
  config: object({
    race: object({ file: projectFile, title: text }),
    finding,
    maxSteps: nullOr(steps),
    latenessVirtualMs: amount,
    timeoutVirtualMs: maybe(nullOr(amount)),
    addons: maybe(listOf(text)),
    externals: maybe(recordOf(text)),
    everyAwait: maybe(either(flag, listOf(text))),
    splitWrites: maybe(flag),
  }),
})

const COMMON = object({
  kind: oneOf('simulation', 'race'),
  seed: count,
  program: recordOf(text),
  nodeVersion: text,
  wavetank: text,
  steps,
  digest: text,
  hashes: text,
  choices: anything, // read by the parser, which turns lines into choices
})

export const TRACE_SHAPE: Shape = (value, at) => {
  COMMON(value, at)
  const { kind } = value as { kind: 'simulation' | 'race' }
  ;(kind === 'race' ? race : simulation)(value, at)
}
