/**
 * The JSON report of `wavetank run` as a schema: what `docs/schemas/report.schema.json` publishes and
 * `wavetank plan schema report` prints. The compiler holds it to the types of the results, and a test to real reports.
 */
import { z } from 'zod'
import { LEVEL_NAMES } from '../../faults/levels.ts'
import type { CorpusResult } from '../../failures/corpus-verdict.ts'
import { jsonSchemaOf } from '../../plan/model/json-schema.ts'
import { GAP_KINDS } from '../../sim/authoring/gap-kinds.ts'
import type { CampaignResult, FailureArtefact, StoryStep } from '../../sim/campaign/result.ts'

const count = z.number()
const texts = z.array(z.string())
const failure = z.strictObject({
  category: z.string(),
  title: z.string(),
  message: z.string(),
  signature: z.string(),
  step: count,
  timeUs: count,
  process: z.string().nullable(),
  stack: z.string().nullable(),
  details: z.unknown(),
})

const storyStep = z.strictObject({
  timeUs: count,
  who: z.string(),
  text: z.string(),
  kind: z.enum(['operation', 'fault', 'loss', 'heal', 'process', 'event', 'violation']),
  violation: z.boolean(),
  repeats: z.strictObject({ times: count, untilUs: count }).optional(),
})

const artefact = z.strictObject({
  seed: count,
  signature: z.string(),
  file: z.string().nullable(),
  replay: z.string(),
  shrunk: z
    .strictObject({
      before: count,
      after: count,
      faults: count.optional(),
      left: texts.optional(),
      runs: count,
      minimal: z.boolean(),
    })
    .nullable(),
  story: z.strictObject({ steps: z.array(storyStep), omitted: count, head: count }),
  strictDiskOnly: z.literal(true).optional(),
})

const assertion = z.strictObject({
  kind: z.enum([
    'always',
    'always-or-unreachable',
    'sometimes',
    'reachable',
    'unreachable',
    'sometimes-all',
    'sometimes-each',
    'situation',
  ]),
  message: z.string(),
  reached: count,
  passed: count,
  failed: count,
  bound: z.strictObject({ relation: z.enum(['<', '≤', '>', '≥']), left: count, right: count }).nullable(),
  frontier: z.strictObject({ best: count, of: count }).nullable(),
  buckets: texts,
})

const exits = z.strictObject({
  ordered: count,
  finished: count,
  crashed: count,
  restarts: count,
  crashes: z.array(z.strictObject({ message: z.string(), times: count, unprovoked: count })),
})

export const campaignSchema = z.strictObject({
  version: z.literal(1),
  kind: z.literal('campaign'),
  name: z.string(),
  file: z.string().nullable(),
  level: z.enum(LEVEL_NAMES),
  disk: z.enum(['ext4', 'posix']).optional(),
  verdict: z.enum(['held', 'violated', 'coverage-gap', 'unknown']),
  reasons: texts,
  gaps: z.array(z.strictObject({ kind: z.enum(GAP_KINDS), message: z.string() })),
  stop: z.enum(['seeds', 'time', 'stable', 'cap', 'bail', 'interrupted']),
  seeds: z.strictObject({ first: count, count, failing: z.array(count) }),
  verified: z.strictObject({ seeds: count, differing: z.array(count), differences: z.array(z.unknown()) }),
  wallMs: count,
  simulatedUs: count,
  steps: count,
  boots: count,
  exits,
  operations: z.array(z.strictObject({ f: z.string(), ok: count, fail: count, info: count })),
  outcomes: z.array(
    z.strictObject({ f: z.string(), type: z.enum(['fail', 'info']), reason: z.string(), times: count }),
  ),
  invariants: z.array(z.strictObject({ name: z.string(), checks: count, facts: count.optional() })),
  checkers: z.array(
    z.strictObject({
      name: z.string(),
      verdict: z.enum(['valid', 'invalid', 'unknown']),
      checks: count,
      reason: z.string().nullable(),
      operations: count,
      ignored: count,
    }),
  ),
  assertions: z.array(assertion),
  situations: z.array(
    z.strictObject({
      name: z.string(),
      times: count,
      seeds: count,
      reached: count,
      status: z.enum(['exercised', 'under-covered', 'not-exercised']),
      advice: texts,
    }),
  ),
  budget: z.strictObject({
    dead: z.union([count, z.enum(['minority', 'all'])]),
    clockSkewMs: count,
    lyingDisks: z.union([count, z.literal('minority')]),
    byzantineLinks: z.boolean(),
    partitions: z.boolean(),
    unhealed: z.union([count, z.literal('minority')]),
    forbids: texts,
  }),
  faults: z.array(
    z.strictObject({
      family: z.string(),
      injected: count,
      landed: count,
      victims: count,
      kinds: z.record(z.string(), count).optional(),
    }),
  ),
  bugs: z.array(
    z.strictObject({
      signature: z.string(),
      category: z.string(),
      title: z.string(),
      message: z.string(),
      count,
      seeds: z.array(count),
    }),
  ),
  failures: z.array(z.strictObject({ seed: count, failure })),
  artefacts: z.array(artefact),
  shrinkMs: count,
  notes: texts,
  runtime: z.strictObject({ node: z.string(), wavetank: z.string() }),
})

const corpusSchema = z.strictObject({
  file: z.string(),
  kind: z.enum(['simulation', 'race']).nullable(),
  scenario: z.string().nullable(),
  violated: z.string().nullable(),
  replay: z.string(),
  status: z.enum(['fixed', 'failing', 'stale', 'unreadable', 'left-out']),
  reason: z.string(),
})

const reportSchema = z.strictObject({
  version: z.literal(1),
  kind: z.literal('report'),
  campaigns: z.array(campaignSchema),
  corpus: z.array(corpusSchema),
})

export function reportSchemaText(): string {
  return jsonSchemaOf(reportSchema, 'wavetank:report:1')
}

/** What the types have and the schema has not, or the other way round, does not compile. */
type SameKeys<A, B> = [Exclude<keyof A, keyof B>, Exclude<keyof B, keyof A>] extends [never, never]
  ? true
  : never
true satisfies SameKeys<CampaignResult, z.infer<typeof campaignSchema>>
true satisfies SameKeys<FailureArtefact, z.infer<typeof artefact>>
true satisfies SameKeys<StoryStep, z.infer<typeof storyStep>>
true satisfies SameKeys<CorpusResult, z.infer<typeof corpusSchema>>
