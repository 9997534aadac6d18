/**
 * What `simulation()` accepts, as tables: every option of a definition with what it must be. A mistake is refused where
 * the simulation is declared, with its place and value; a name that does not exist is refused with the nearest one that
 * does. docs/simulation.md documents every name in these tables; a test holds the two together.
 */
import type { Propagation } from '../../faults/arena.ts'
import { DEFAULT_BUDGET, type FaultBudget } from '../../faults/budget.ts'
import { givenChoice, parametersOf } from '../../faults/given-choice.ts'
import {
  FAMILY_NAMES,
  LEVEL_NAMES,
  PARTITION_SHAPES,
  type Attrition,
  type Rate,
  type Weather,
} from '../../faults/levels.ts'
import type { LinkWeather } from '../../faults/link-weather.ts'
import { UsageError } from '../../kernel/errors.ts'
import {
  aFunction,
  anything,
  atLeast,
  checkFields,
  didYouMean,
  either,
  flag,
  fraction,
  listOf,
  number,
  object,
  oneOf,
  range,
  recordOf,
  text,
  type Complaint,
  type Expectation,
  type Fields,
} from '../../kernel/expectation.ts'
import type {
  Limits,
  Locality,
  ProcessDefinition,
  MembershipDefinition,
  ProcessVariant,
  SimulationDefinition,
  Workload,
} from './definition.ts'
import { GAP_KINDS } from './gap-kinds.ts'
import type { OperationOptions } from './operations.ts'
import type { RealSystem } from './real-system.ts'
import type { AimedFault } from './script.ts'
import type { SituationNeeds } from './situations.ts'
import type { WatchedFile } from './watched-files.ts'
import type { WireTap } from './wire-taps.ts'

const count: Expectation = either(atLeast(0), range(atLeast(0)))

/** A value, or a function of the process's identity that gives one. */
function perProcess(value: Expectation): Expectation {
  return either(aFunction, value)
}

const LOCALITY: Fields<Locality> = { datacentre: text, zone: text, machine: text }

const aText: Expectation = { expected: 'a text', isMet: (value) => typeof value === 'string' }

/** What a function of the process's identity must give. */
export const PER_PROCESS = {
  args: listOf(aText),
  env: recordOf(aText),
  tags: listOf(text),
  locality: object(LOCALITY),
}

const VARIANT: Fields<ProcessVariant> = {
  entry: text,
  run: aFunction,
  args: perProcess(PER_PROCESS.args),
  env: perProcess(PER_PROCESS.env),
}

const SYSTEM: Fields<RealSystem> = {
  name: text,
  needs: recordOf(text),
  ports: listOf(atLeast(1)),
  install: listOf(listOf(text)),
  start: aFunction,
  ready: aFunction,
  wipe: aFunction,
  stop: aFunction,
  primaries: aFunction,
  clock: aFunction,
  stopSignal: oneOf('SIGTERM', 'SIGINT', 'SIGQUIT'),
  logs: listOf(text),
}

export const PROCESS: Fields<ProcessDefinition> = {
  entry: text,
  run: aFunction,
  system: object(SYSTEM, { required: ['name', 'needs', 'ports', 'start', 'ready'] }),
  count,
  args: perProcess(PER_PROCESS.args),
  env: perProcess(PER_PROCESS.env),
  cwd: text,
  tags: perProcess(PER_PROCESS.tags),
  locality: perProcess(PER_PROCESS.locality),
  onExit: oneOf('fail', 'restart', 'ignore'),
  variants: recordOf(object(VARIANT)),
  spared: flag,
}

export const WORKLOAD: Fields<Workload> = {
  clients: count,
  operations: count,
  spanMs: number(0),
  setup: aFunction,
  open: aFunction,
  run: aFunction,
  settled: aFunction,
  final: aFunction,
  check: aFunction,
}

export const LIMITS: Fields<Limits> = {
  virtualMs: number(1),
  steps: atLeast(1),
  stepsPerVirtualMs: atLeast(1),
  settleVirtualMs: number(0),
}

const RENAMED_LIMITS = { settleMs: 'settleVirtualMs', stepsPerMs: 'stepsPerVirtualMs' }

export const BUDGET: Fields<FaultBudget> = {
  dead: either(atLeast(0), oneOf('minority', 'all')),
  clockSkewMs: number(0),
  lyingDisks: either(atLeast(0), oneOf('minority')),
  byzantineLinks: flag,
  partitions: flag,
  unhealed: either(atLeast(0), oneOf('minority')),
}

const RATE: Fields<Rate> = { everyMs: atLeast(1), chance: fraction, durationMs: range(number(0)) }

const rate = object(RATE, {
  required: ['everyMs', 'chance', 'durationMs'],
  renamed: { ppm: 'chance' },
})

const microseconds = atLeast(0)
const latency: Expectation = {
  expected:
    "{ kind: 'constant', us }, { kind: 'uniform', minUs, maxUs } or { kind: 'exponential', minUs, meanUs, maxUs }",
  isMet: (value) => {
    if (typeof value !== 'object' || value === null) return false
    const { kind, ...times } = value as Record<string, unknown>
    const names = { constant: 'us', uniform: 'maxUs,minUs', exponential: 'maxUs,meanUs,minUs' }
    return (
      names[kind as keyof typeof names] === Object.keys(times).sort().join() &&
      Object.values(times).every(microseconds.isMet)
    )
  },
}

export const LINKS: Fields<LinkWeather> = {
  latency,
  extraLatencyUs: microseconds,
  bandwidthBytesPerS: atLeast(0),
  loss: fraction,
  duplicate: fraction,
  replay: fraction,
  reorder: fraction,
  reorderDelay: latency,
  corrupt: fraction,
  split: fraction,
}

const RENAMED_LINKS = Object.fromEntries(
  ['loss', 'duplicate', 'replay', 'reorder', 'corrupt', 'split'].map((name) => [`${name}Ppm`, name]),
)

const weight = atLeast(0)
export const ATTRITION: Fields<Attrition> = {
  stop: weight,
  kill: weight,
  powerLoss: weight,
  wipe: weight,
  graceMs: range(atLeast(0)),
  scope: object(
    { process: weight, machine: weight, zone: weight },
    { required: ['process', 'machine', 'zone'] },
  ),
}

export const WEATHER: Fields<Weather> = {
  swarm: flag,
  windowMs: range(atLeast(0)),
  links: object(LINKS, { renamed: RENAMED_LINKS }),
  families: object(Object.fromEntries(FAMILY_NAMES.map((name) => [name, either(rate, oneOf(null))]))),
  attrition: object(ATTRITION),
  partitions: {
    expected: `a list of ${PARTITION_SHAPES.join(', ')} that is not empty`,
    isMet: (value) =>
      Array.isArray(value) &&
      value.length > 0 &&
      value.every((shape) => (PARTITION_SHAPES as readonly unknown[]).includes(shape)),
  },
  seeds: atLeast(1),
}

const TAP: Fields<WireTap> = {
  port: atLeast(1),
  path: text,
  protocol: oneOf('tcp', 'udp'),
  decode: either(aFunction, oneOf('bytes', 'text', 'lines', 'json')),
}

const FILE: Fields<WatchedFile> = { of: text, path: text }

const PROPAGATION: Fields<Propagation> = {
  from: text,
  to: text,
  afterMs: range(atLeast(0)),
  chance: fraction,
}

const MEMBERSHIP: Fields<MembershipDefinition> = { leave: aFunction, join: aFunction }

const target: Expectation = {
  expected: 'the name of a process, { group }, { tag }, { role }, or a function of its identity',
  isMet: (value) => {
    if (typeof value === 'function' || text.isMet(value)) return true
    if (typeof value !== 'object' || value === null) return false
    const [[key, name] = ['', ''], ...more] = Object.entries(value)
    return more.length === 0 && ['group', 'tag', 'role'].includes(key) && text.isMet(name)
  },
}

export const AIMED: Fields<AimedFault> = {
  fault: oneOf(...FAMILY_NAMES),
  target,
  atMs: number(0),
  after: either(text, aFunction),
  nth: atLeast(1),
  delayMs: number(0),
  while: aFunction,
  forMs: number(0),
  with: recordOf(either(text, number(0))),
  mayMiss: flag,
}

export const NEEDS: Fields<SituationNeeds> = {
  operations: listOf(text),
  faults: listOf(oneOf(...FAMILY_NAMES)),
}

/** With its zone: otherwise it would be a different time on different machines. */
const ISO_DATE = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d+)?)?Z)?$/

export const DEFINITION: Fields<SimulationDefinition> = {
  processes: recordOf(object(PROCESS)),
  workload: object(WORKLOAD, { required: ['run'] }),
  invariants: recordOf(aFunction),
  needsTank: listOf(text),
  taps: recordOf(object(TAP)),
  files: recordOf(object(FILE, { required: ['of', 'path'] })),
  situations: recordOf(object(NEEDS)),
  roles: recordOf(aFunction),
  propagation: listOf(object(PROPAGATION, { required: ['from', 'to', 'afterMs', 'chance'] })),
  membership: object(MEMBERSHIP, { required: ['leave', 'join'] }),
  script: listOf(object(AIMED, { required: ['fault'], renamed: { durationMs: 'forMs', at: 'atMs' } })),
  allowGaps: listOf(oneOf(...GAP_KINDS)),
  budget: object(BUDGET),
  levels: object(Object.fromEntries(LEVEL_NAMES.map((name) => [name, object(WEATHER)]))),
  limits: object(LIMITS, { renamed: RENAMED_LIMITS }),
  externals: recordOf(text),
  addons: listOf(text),
  startsAt: {
    expected: "a date, such as '2027-01-01T00:00:00Z'",
    isMet: (value) => typeof value === 'string' && ISO_DATE.test(value) && !Number.isNaN(Date.parse(value)),
  },
  disk: oneOf('ext4', 'posix'),
  bootMs: number(0),
  restMs: number(0),
}

/** Refuses a definition that cannot be meant. */
export function checkDefinition(name: string, definition: SimulationDefinition): void {
  const complain: Complaint = (what) => {
    return new UsageError('ERR_WAVETANK_SIMULATION', `simulation('${name}'): ${what}`)
  }
  if (typeof definition !== 'object' || definition === null)
    throw complain('expected an object with processes and a workload')
  checkFields(definition, DEFINITION, '', complain, { required: ['processes', 'workload'] })
  const groups = Object.entries(definition.processes)
  for (const [group, { entry, run, system }] of groups) {
    if (!/^[a-z][a-z0-9-]*$/i.test(group))
      throw complain(`processes.${group}: a group's name becomes host names; use letters, digits and '-'`)
    if ([entry, run, system].filter((program) => program !== undefined).length !== 1)
      throw complain(
        `processes.${group} needs one of entry (a file), run (a function) and system (no Node program)`,
      )
  }
  for (const [group, { entry, variants = {} }] of groups)
    for (const [variant, other] of Object.entries(variants)) {
      const where = `processes.${group}.variants.${variant}`
      if (other.entry !== undefined && other.run !== undefined)
        throw complain(`${where} needs entry (a file) or run (a function), not both`)
      if (Object.keys(other).length === 0)
        throw complain(`${where} must differ in something: entry, run, args or env`)
      if (entry === undefined && other.entry !== undefined)
        throw complain(`${where}.entry: the process is a function; give run`)
    }
  const { dead, unhealed } = { ...DEFAULT_BUDGET, ...definition.budget }
  if (typeof dead === 'number' && (typeof unhealed === 'number' ? unhealed > dead : dead === 0))
    throw complain(
      `budget.unhealed must not be more than budget.dead (${dead}), and is ${JSON.stringify(unhealed)}: what stays broken is out`,
    )
  for (const [i, aimed] of (definition.script ?? []).entries())
    checkAimed(`script[${i}]`, aimed, definition, complain)
  for (const [i, { from, to }] of (definition.propagation ?? []).entries())
    for (const [name, group] of Object.entries({ from, to }))
      if (!Object.hasOwn(definition.processes, group))
        throw complain(
          `propagation[${i}].${name} must be a group of processes (${Object.keys(definition.processes).join(', ')}), not ${JSON.stringify(group)}`,
        )
  for (const [tap, { port, path }] of Object.entries(definition.taps ?? {})) {
    if ((port === undefined) === (path === undefined))
      throw complain(`taps.${tap} needs either port (a number) or path (of a unix socket)`)
  }
  for (const invariant of definition.needsTank ?? []) {
    const known = Object.keys(definition.invariants ?? {})
    if (!known.includes(invariant))
      throw complain(`needsTank: there is no invariant '${invariant}'${didYouMean(invariant, known)}`)
  }
  for (const [file, { of }] of Object.entries(definition.files ?? {})) {
    if (!groups.some(([group]) => group === of || of.replace(/\d+$/, '') === group))
      throw complain(
        `files.${file}.of must be a group of processes or one of them, not ${JSON.stringify(of)}`,
      )
  }
}

/** An aimed fault has one moment, parameters of its fault, and a target that can exist. */
function checkAimed(
  where: string,
  { fault, target: at, atMs, after, nth, delayMs, while: holds, with: given = {} }: AimedFault,
  { processes, roles = {} }: SimulationDefinition,
  complain: Complaint,
): void {
  const moments = [atMs, after, holds].filter((moment) => moment !== undefined).length
  if (moments !== 1) throw complain(`${where} needs one of atMs, after and while, and has ${moments}`)
  if (after === undefined && (nth !== undefined || delayMs !== undefined))
    throw complain(`${where}: nth and delayMs go with after`)
  for (const [name, value] of Object.entries(given)) {
    const parameter = parametersOf(fault).find((each) => each.name === name)
    const names = parametersOf(fault).map((each) => each.name)
    if (parameter === undefined)
      throw complain(
        `${where}.with: ${fault} has no parameter "${name}"${didYouMean(name, names)}; it has ${names.join(', ') || 'none'}`,
      )
    const { drawn, unit } = parameter
    const expected = 'of' in drawn ? drawn.of.join(', ') : `a number from ${drawn.least} to ${drawn.most}`
    if (givenChoice(fault, name, value) === null)
      throw complain(
        `${where}.with.${name} must be ${expected}${unit === '' ? '' : ` (${unit})`}, not ${JSON.stringify(value)}`,
      )
  }
  const groups = Object.keys(processes)
  const isNamed = (name: string): boolean =>
    groups.some((group) =>
      processes[group].count === undefined ? name === group : name.replace(/\d+$/, '') === group,
    )
  if (typeof at === 'string' && !isNamed(at))
    throw complain(
      `${where}.target: there is no process ${JSON.stringify(at)}${didYouMean(at, groups)}; groups are ${groups.join(', ')}`,
    )
  if (typeof at !== 'object') return
  if ('group' in at && !groups.includes(at.group))
    throw complain(
      `${where}.target.group: there is no group ${JSON.stringify(at.group)}${didYouMean(at.group, groups)}; there are ${groups.join(', ')}`,
    )
  if ('role' in at && !Object.hasOwn(roles, at.role))
    throw complain(
      `${where}.target.role: there is no role ${JSON.stringify(at.role)}; declare it in roles: { ${at.role}: ({ events }) => … }`,
    )
}

const OPERATION: Fields<OperationOptions> = {
  key: anything,
  input: anything,
  timeoutVirtualMs: number(0),
}

/** Refuses the options of an operation that cannot be meant. */
export function checkOperation(f: string, options: OperationOptions): void {
  const complain: Complaint = (what) => new UsageError('ERR_WAVETANK_OPTIONS', `operation('${f}'): ${what}`)
  if (!text.isMet(f)) throw complain('the name of an operation must be a text that is not empty')
  if (typeof options !== 'object' || options === null)
    throw complain('expected operation(f, body) or operation(f, { key, input, timeoutVirtualMs }, body)')
  checkFields(options, OPERATION, '', complain, { renamed: { timeoutMs: 'timeoutVirtualMs' } })
}
