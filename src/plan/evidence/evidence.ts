/**
 * Evidence: what one run of one arm of a scenario showed, as versioned data. Simulations and races are turned into it by
 * adapters; any other command writes it as JSON to the file named by `WAVETANK_EVIDENCE`. It contains observations only.
 * Whether they make a pass is decided elsewhere, by a pure function of them.
 *
 * What is not known is left out or `null`, and counts as absent: evidence that says less never passes more.
 */
import { z } from 'zod'
import { LEVEL_NAMES } from '../../faults/levels.ts'
import { HISTORY_FIELDS } from '../model/history-fields.ts'

export const EVIDENCE_VERSION = 1

const count = z.int().min(0)
const text = z.string()

const operationCounts = z.strictObject({
  f: text.meta({ description: 'what was asked: read, write, …' }),
  ok: count,
  fail: count,
  info: count.meta({ description: 'of unknown outcome; a time-out is neither success nor failure' }),
})

const fieldState = z.enum(['recorded', 'derived', 'absent'])

const historySchema = z.strictObject({
  operations: count.meta({ description: 'operations in the history' }),
  /** A history that lost its beginning, its end or operations in between. */
  truncated: z.boolean(),
  clock: z.enum(['virtual', 'monotonic', 'wall']).meta({ description: 'where times come from' }),
  reusedIds: count.meta({ description: 'operations that share an id: a bug of the recorder' }),
  outputsOfTimeouts: count.meta({
    description: 'operations of unknown outcome with an output: a bug of the recorder',
  }),
  fields: z.partialRecord(z.enum(HISTORY_FIELDS), fieldState),
})

const oracleSchema = z.strictObject({
  name: text.min(1),
  kind: z.enum(['checker', 'invariant', 'assertion', 'metric', 'log', 'health']).meta({
    description:
      'a checker reads the history, an invariant the state at every step; the others are surface checks',
  }),
  verdict: z.enum(['valid', 'invalid', 'unknown']),
  checks: count,
  operations: count.nullable().meta({ description: 'operations that it looked at; null if not known' }),
  ignored: count.nullable().meta({ description: 'operations that it did not look at' }),
  when: z.enum(['during', 'end']).meta({ description: 'all along, or once at the end' }),
  reason: text.nullable().default(null),
})

const faultSchema = z.strictObject({
  nemesis: text.min(1).meta({ description: 'an id of the catalogue, a fault family, or family/kind' }),
  injected: count.meta({ description: 'episodes, by the injector' }),
  landed: count.meta({ description: 'episodes with a signal on the victim’s side' }),
  victimSignals: count.meta({ description: 'packets dropped, writes torn, callbacks held back, …' }),
  signal: text.nullable().default(null).meta({ description: 'what the victim showed, in words' }),
})

const seedSchema = z.strictObject({
  seed: z.union([z.int(), text]),
  outcome: z.enum(['held', 'violated', 'unjudged']),
})

const violationSchema = z.strictObject({
  signature: text.min(1).meta({ description: 'equal for the same bug' }),
  message: text,
  origin: z.enum(['oracle', 'harness', 'environment']).default('oracle').meta({
    description: 'who failed, as far as the run itself can tell: a workload that throws is the harness',
  }),
  seed: z.union([z.int(), text]).nullable(),
  seeds: count.meta({ description: 'how many seeds show it' }),
  reruns: z.strictObject({ tried: count, failedAgain: count }),
  reproducer: text.nullable().meta({ description: 'a command that shows it' }),
  artefact: text.nullable(),
  story: z.array(text).default([]).meta({ description: 'the few lines that tell what happened' }),
  shrunk: z
    .strictObject({ before: count, after: count, runs: count, faults: z.array(text) })
    .nullable()
    .default(null),
})

const controlSchema = z.strictObject({
  name: text.min(1),
  detected: z.boolean().meta({ description: 'the oracle rejected what it must reject' }),
  by: z.array(text).meta({ description: 'oracles that rejected it' }),
  message: text,
})

export const evidenceSchema = z
  .strictObject({
    version: z.literal(EVIDENCE_VERSION),
    kind: z.literal('evidence'),
    source: z.strictObject({
      kind: z.enum(['simulation', 'race', 'maelstrom', 'real', 'command']),
      what: text,
      versions: z.record(text, text).default({}),
    }),
    /** How the run itself ended. Evidence of a run that was cut short is not evidence of a whole one. */
    ended: z.enum(['completed', 'timeout', 'crashed']),
    environment: z.strictObject({
      missing: z.array(z.strictObject({ requirement: text, hint: text })).default([]),
      facts: z.record(text, text).default({}),
    }),
    operations: z.array(operationCounts),
    history: historySchema.nullable(),
    oracles: z.array(oracleSchema),
    faults: z.array(faultSchema),
    seeds: z.array(seedSchema),
    violations: z.array(violationSchema),
    wallMs: z.number().min(0),
    simulatedMs: z.number().min(0).nullable().default(null),
    level: z.enum(LEVEL_NAMES).nullable().default(null).meta({ description: 'the level of a simulation' }),
    iterations: count
      .nullable()
      .default(null)
      .meta({ description: 'schedules that each seed of a race was allowed' }),
    recovery: z
      .strictObject({ completed: z.boolean(), tookMs: z.number().min(0).nullable().default(null) })
      .nullable()
      .default(null),
    topologies: z.array(text).default([]).meta({ description: 'distinct shapes that ran: 3 nodes, 5 nodes' }),
    controls: z.array(controlSchema).default([]),
    notes: z
      .array(text)
      .default([])
      .meta({ description: 'errors of the harness and anything a reader must know' }),
  })
  .meta({ title: 'wavetank evidence', description: 'what one run of one arm of a scenario showed' })

export type Evidence = z.infer<typeof evidenceSchema>
export type EvidenceFault = Evidence['faults'][number]
export type Oracle = Evidence['oracles'][number]
export type Violation = Evidence['violations'][number]
export type NegativeControl = Evidence['controls'][number]

/** Evidence of a run that gave none. */
export function emptyEvidence(
  source: Evidence['source'],
  ended: Evidence['ended'],
  notes: readonly string[],
): Evidence {
  return {
    version: EVIDENCE_VERSION,
    kind: 'evidence',
    source,
    ended,
    environment: { missing: [], facts: {} },
    operations: [],
    history: null,
    oracles: [],
    faults: [],
    seeds: [],
    violations: [],
    wallMs: 0,
    simulatedMs: null,
    level: null,
    iterations: null,
    recovery: null,
    topologies: [],
    controls: [],
    notes: [...notes],
  }
}
