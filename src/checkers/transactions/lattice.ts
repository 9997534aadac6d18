/**
 * Which consistency models an anomaly rules out.
 *
 * Three small tables: which model implies which (an arrow points to the weaker one), which anomalies a model forbids
 * beyond what its weaker models forbid, and which anomaly is an instance of which (an arrow points to the more general
 * one). They gather what Adya (1999), Bailis et al. (2013), Cerone et al. (2015), Daudjee and Salem (2006) and Elle say;
 * what these sources leave open is left open here: nothing is ruled out that no table entry rules out.
 *
 * Models have a canonical name (Adya's where there is one) and often a friendly one; answers use the friendly name.
 */
import { UsageError } from '../../kernel/errors.ts'
import { didYouMean } from '../../kernel/expectation.ts'

/** Friendly name, canonical name. Where two friendly names share a canonical one, answers use the later. */
const NAMES: readonly (readonly [string, string])[] = [
  ['read-uncommitted', 'PL-1'],
  ['read-committed', 'PL-2'],
  ['monotonic-view', 'PL-2L'],
  ['consistent-view', 'PL-2+'],
  ['repeatable-read', 'PL-2.99'],
  ['conflict-serializable', 'PL-3'],
  ['serializable', 'PL-3'],
  ['update-serializable', 'PL-3U'],
  ['cursor-stability', 'PL-CS'],
  ['forward-consistent-view', 'PL-FCV'],
  ['monotonic-snapshot-read', 'PL-MSR'],
  ['snapshot-isolation', 'PL-SI'],
  ['strict-serializable', 'PL-SS'],
  ['strong-serializable', 'PL-SS'],
  ['strong-read-uncommitted', 'strong-PL-1'],
  ['strong-read-committed', 'strong-PL-2'],
  ['strong-session-read-uncommitted', 'strong-session-PL-1'],
  ['strong-session-read-committed', 'strong-session-PL-2'],
]

/** `a > b c`: what satisfies a satisfies b and c. */
const MODEL_IMPLICATIONS = `
PL-SS > PL-3 PL-SI linearizable strong-snapshot-isolation strong-session-serializable session-serializable
PL-3 > PL-2.99 PL-3U PL-SI view-serializable
PL-3U > PL-FCV
PL-SI > PL-FCV PL-MSR monotonic-atomic-view parallel-snapshot-isolation prefix
PL-FCV > PL-2+
PL-2.99 > PL-CS monotonic-atomic-view
PL-2+ > PL-CS PL-2L
PL-2L > PL-2
PL-CS > PL-2
PL-MSR > PL-2
PL-2 > PL-1
parallel-snapshot-isolation > causal-cerone update-atomic
prefix > causal-cerone
causal-cerone > read-atomic
update-atomic > read-atomic
read-atomic > monotonic-atomic-view
monotonic-atomic-view > PL-2
session-serializable > 1SR
strong-session-serializable > PL-3 strong-session-snapshot-isolation
strong-snapshot-isolation > strong-session-snapshot-isolation strong-PL-2
strong-session-snapshot-isolation > PL-SI strong-session-PL-2
strong-PL-2 > strong-session-PL-2 strong-PL-1
strong-PL-1 > strong-session-PL-1
strong-session-PL-2 > PL-2 strong-session-PL-1
strong-session-PL-1 > PL-1
linearizable > sequential
sequential > causal
causal > writes-follow-reads PRAM
PRAM > monotonic-reads monotonic-writes read-your-writes
`

/**
 * `model > anomalies` that it forbids itself. `garbage-read` and `duplicate-writes`-style nonsense has no place in any
 * of the formalisms (every read observes an installed version), so the weakest model already forbids it.
 */
const FORBIDDEN = `
PL-1 > G0 cyclic-versions duplicate-elements garbage-read PL-1-cycle-exists
PL-2 > G1 PL-2-cycle-exists
PL-2L > G1 G-monotonic
PL-2+ > G1 G-single
PL-2.99 > G1 G2-item lost-update PL-2.99-cycle-exists
PL-3 > G1 G2 internal predicate-read-miss PL-3-cycle-exists
PL-3U > G1 G-update
PL-CS > G1 G-cursor lost-update
PL-FCV > G1 G-SIb
PL-MSR > G1 G-MSR
PL-SI > G1 G-SI G-nonadjacent internal PL-SI-cycle-exists
PL-SS > G1 G1c-realtime G2-realtime PL-SS-cycle-exists
causal-cerone > G1a internal
parallel-snapshot-isolation > G1a internal
prefix > G1a internal
read-atomic > G1a future-read internal
update-atomic > lost-update
strong-PL-1 > G0-realtime strong-PL-1-cycle-exists
strong-PL-2 > G1c-realtime strong-PL-2-cycle-exists
strong-session-PL-1 > G0-process strong-session-PL-1-cycle-exists
strong-session-PL-2 > G1c-process strong-session-PL-2-cycle-exists
strong-session-serializable > G1-process G2-process strong-session-serializable-cycle-exists
strong-session-snapshot-isolation > G1-process G-nonadjacent-process internal strong-session-snapshot-isolation-cycle-exists
strong-snapshot-isolation > G1-realtime G-nonadjacent-realtime internal strong-snapshot-isolation-cycle-exists
`

/**
 * `a > b`: every a is a b. Lines with `*` hold for the plain form and, suffix for suffix, for `-process` and
 * `-realtime`; that a plain anomaly is also a -process one, and a -process one a -realtime one, is added for them.
 */
const ANOMALY_IMPLICATIONS = `
G0* > G1c*
G1c* > G1*
G1* >
G-single-item* > G-single* G-nonadjacent-item*
G-single* > G-nonadjacent*
G-nonadjacent-item* > G-nonadjacent* G2-item*
G-nonadjacent* > G2*
G2-item* > G2*
G2* >
G1a > G1
G1b > G1
G-single > GSIb
GSIa > GSI
GSIb > GSI
future-read > G1c
incompatible-order > G1a
dirty-update > G1a
lost-update > write-skew G2-item
write-skew > G2
`

type Arrows = ReadonlyMap<string, readonly string[]>

function parse(table: string): Map<string, string[]> {
  const arrows = new Map<string, string[]>()
  for (const line of table.trim().split('\n')) {
    const [from = '', to = ''] = line.split('>')
    const targets = to.trim().split(' ').filter(Boolean)
    if (!from.includes('*')) {
      add(arrows, from.trim(), targets)
      continue
    }
    const forms = ['', '-process', '-realtime']
    forms.forEach((form, i) => {
      const name = from.trim().replace('*', form)
      add(
        arrows,
        name,
        targets.map((target) => target.replace('*', form)),
      )
      const next = forms[i + 1]
      if (next !== undefined) add(arrows, name, [from.trim().replace('*', next)])
    })
  }
  return arrows
}

function add(arrows: Map<string, string[]>, from: string, to: readonly string[]): void {
  const targets = arrows.get(from) ?? []
  targets.push(...to)
  arrows.set(from, targets)
}

function invert(arrows: Arrows): Map<string, string[]> {
  const inverse = new Map<string, string[]>()
  for (const [from, targets] of arrows) for (const to of targets) add(inverse, to, [from])
  return inverse
}

/** Everything that can be reached from the seeds, themselves included. */
function closure(arrows: Arrows, seeds: Iterable<string>): Set<string> {
  const seen = new Set<string>(seeds)
  for (const from of seen) for (const to of arrows.get(from) ?? []) seen.add(to)
  return seen
}

const CANONICAL = new Map(NAMES)
const FRIENDLY = new Map(NAMES.map(([friendly, canonical]) => [canonical, friendly]))
const WEAKER = parse(MODEL_IMPLICATIONS)
const STRONGER = invert(WEAKER)
const FORBIDS = parse(FORBIDDEN)
const FORBIDDEN_BY = invert(FORBIDS)
const MORE_GENERAL = parse(ANOMALY_IMPLICATIONS)
const MORE_SPECIFIC = invert(MORE_GENERAL)

/** All names, canonical and friendly, sorted. */
export const CONSISTENCY_MODELS: readonly string[] = [
  ...new Set([...WEAKER.keys(), ...STRONGER.keys(), ...CANONICAL.keys(), ...CANONICAL.values()]),
].sort()

/** All anomalies that the tables know, sorted. */
export const ANOMALY_TYPES: readonly string[] = [
  ...new Set([...MORE_GENERAL.keys(), ...MORE_SPECIFIC.keys(), ...FORBIDDEN_BY.keys()]),
].sort()

const KNOWN_MODELS = new Set(CONSISTENCY_MODELS)

export function canonicalModel(model: string): string {
  if (!KNOWN_MODELS.has(model)) {
    throw new UsageError(
      'ERR_WAVETANK_CONSISTENCY_MODEL',
      `there is no consistency model ${JSON.stringify(model)}${didYouMean(model, CONSISTENCY_MODELS)}`,
    )
  }
  return CANONICAL.get(model) ?? model
}

export function friendlyModel(model: string): string {
  return FRIENDLY.get(model) ?? model
}

/** The models, canonical, that hold whenever all of these hold. */
export function impliedModels(models: readonly string[]): ReadonlySet<string> {
  return closure(WEAKER, models.map(canonicalModel))
}

/** The anomalies that are there whenever one of these is. */
export function impliedAnomalies(anomalies: Iterable<string>): ReadonlySet<string> {
  return closure(MORE_GENERAL, anomalies)
}

/** The anomalies of which each is an instance of one of these. */
export function anomaliesImplying(anomalies: Iterable<string>): ReadonlySet<string> {
  for (const anomaly of anomalies) {
    if (ANOMALY_TYPES.includes(anomaly)) continue
    throw new UsageError(
      'ERR_WAVETANK_CONSISTENCY_MODEL',
      `there is no anomaly ${JSON.stringify(anomaly)}${didYouMean(anomaly, ANOMALY_TYPES)}`,
    )
  }
  return closure(MORE_SPECIFIC, anomalies)
}

/** Every anomaly that contradicts one of the models. */
export function forbiddenAnomalies(models: readonly string[]): ReadonlySet<string> {
  return anomaliesImplying([...impliedModels(models)].flatMap((model) => FORBIDS.get(model) ?? []))
}

/** The models, canonical, that cannot hold once these anomalies were seen. */
export function impossibleModels(anomalies: Iterable<string>): ReadonlySet<string> {
  const direct = [...impliedAnomalies(anomalies)].flatMap((anomaly) => FORBIDDEN_BY.get(anomaly) ?? [])
  return closure(STRONGER, direct)
}

/** `not`: the weakest models ruled out; `alsoNot`: the stronger ones that fall with them. Friendly names, sorted. */
export interface ModelBoundary {
  readonly not: readonly string[]
  readonly alsoNot: readonly string[]
}

export function modelBoundary(anomalies: Iterable<string>): ModelBoundary {
  const impossible = impossibleModels(anomalies)
  const not: string[] = []
  const alsoNot: string[] = []
  for (const model of impossible) {
    let weakest = true
    for (const weaker of closure(WEAKER, [model]))
      if (weaker !== model && impossible.has(weaker)) weakest = false
    ;(weakest ? not : alsoNot).push(friendlyModel(model))
  }
  return { not: not.sort(), alsoNot: alsoNot.sort() }
}
