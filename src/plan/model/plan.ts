/**
 * A plan as data: what a system claims, how each claim could be false, which scenario would show it, and when a run of it
 * counts. The sections follow the Markdown file (§0 to §9). The schema says what is well formed; whether a plan is any
 * good is for the linter.
 */
import { z } from 'zod'
import { CLAIM_CATEGORIES } from '../catalog/claim-categories.ts'
import { MODELS } from '../catalog/oracle-patterns.ts'
import { bindingSchema } from './binding.ts'
import { absentBudgetSchema, budgetSchema } from './budget.ts'
import { HISTORY_FIELDS } from './history-fields.ts'

export const PLAN_VERSION = 1

const text = z.string().trim().min(1, 'must not be empty')
const claimId = z.string().regex(/^C\d+$/, 'must be C and a number')
const hypothesisId = z.string().regex(/^H\d+$/, 'must be H and a number')
const scenarioId = z.string().regex(/^S\d+$/, 'must be S and a number')

export const CATEGORY_IDS = CLAIM_CATEGORIES.map(({ id }) => id) as [string, ...string[]]
export const HYPOTHESIS_CATEGORIES = [
  'correctness',
  'durability',
  'liveness',
  'partial-failure',
  'idempotency',
  'upgrade',
  'config',
  'performance',
] as const
export const GAP_KINDS = [
  'no test',
  'shallow',
  'oracle too weak',
  'no fault variant',
  'no scale variant',
] as const
export const PLAN_STATUSES = ['draft', 'reviewed', 'executed'] as const

const headerSchema = z.strictObject({
  date: z.iso.date('must be a date such as 2026-01-31'),
  mode: z.enum(['change', 'project']),
  system: text,
  change: z.string(),
  author: text,
  status: z.enum(PLAN_STATUSES),
})

const claimSchema = z.strictObject({
  id: claimId,
  claim: text,
  category: z.enum(CATEGORY_IDS),
  source: text.meta({ description: 'file and line, page or contract' }),
  inferred: z.boolean().meta({ description: 'true if no sentence of the system says it' }),
})

const missingClaimSchema = z.strictObject({ behaviour: text, evidence: text, action: text })

const existingTestSchema = z.strictObject({ test: text, checks: text, claims: z.array(claimId) })

const hypothesisSchema = z.strictObject({
  id: hypothesisId,
  falsifies: z.array(claimId),
  hypothesis: text,
  category: z.enum(HYPOTHESIS_CATEGORIES),
  because: text,
  subsystem: text,
})

const pitfallAnswerSchema = z.strictObject({
  pitfall: text,
  answer: z.enum(['yes', 'no', 'maybe']),
  reason: text.meta({ description: 'hypotheses for yes and maybe, the reason for no' }),
})

const coverageSchema = z.strictObject({
  claim: claimId,
  hypothesis: hypothesisId,
  state: z.enum(['covered', 'partial', 'not']),
  gap: z.enum(GAP_KINDS).nullable(),
  by: z.string(),
})

const techniqueSchema = z.strictObject({
  technique: text,
  hypotheses: z.array(hypothesisId),
  catches: text,
  cost: text,
})

const requirementSchema = z.strictObject({
  requirement: text,
  floor: z.string().meta({ description: 'the least version; empty if any' }),
  usedBy: z.array(scenarioId).meta({ description: 'scenarios; empty means all' }),
  probe: z.string().nullable().meta({ description: 'a command that exits with 0 if it is there' }),
  hint: text.meta({ description: 'how to get it' }),
})

/** §7.M: the discipline of a serious scenario. */
const disciplineSchema = z.strictObject({
  model: z.enum(MODELS),
  history: text,
  historyFields: z.array(z.enum(HISTORY_FIELDS)),
  checker: text,
  checkers: z.array(text).meta({ description: 'names that must appear in the evidence' }),
  nemesis: text,
  landingEvidence: text,
  ambiguousOutcomes: text,
  reductionPlan: text,
})

export const BOUNDARY_FIELDS = [
  'Boundary claim',
  'Keys',
  'Surfaces',
  'Operations',
  'Positive controls',
  'Negative controls',
  'Confusable identifiers',
  'Delayed and async paths',
  'Background paths',
  'Observability paths',
  'Oracle',
  'Minimum smoke budget',
  'Minimum hardening budget',
] as const

const boundarySchema = z.strictObject(
  Object.fromEntries(BOUNDARY_FIELDS.map((label) => [label, text])) as Record<
    (typeof BOUNDARY_FIELDS)[number],
    typeof text
  >,
)

const auditAnswerSchema = z.strictObject({
  question: text,
  answer: z.enum(['yes', 'no', 'n/a']),
  reason: text,
})

const armSchema = z.strictObject({ id: text, binding: bindingSchema, about: z.string() })

const tierSchema = z.union([budgetSchema, absentBudgetSchema])

const scenarioSchema = z.strictObject({
  id: scenarioId,
  name: text,
  falsifies: z.array(z.string().regex(/^[CH]\d+$/)),
  closes: z.string(),
  techniques: z.array(text),
  workload: text,
  faults: text,
  nemeses: z.array(text).meta({ description: 'ids of the catalogue; empty for a scenario without faults' }),
  oracle: text,
  oraclePatterns: z.array(text),
  observability: z.string(),
  exitCriteria: text,
  arms: z.array(armSchema).min(1, 'needs a Run, or Arm fields'),
  negativeControls: z
    .array(bindingSchema)
    .meta({ description: 'what the oracles must reject: every checker of §7.M needs one' }),
  budgets: z.strictObject({ smoke: tierSchema, hardening: tierSchema, release: tierSchema }),
  swaps: z.strictObject({
    generator: bindingSchema.nullable(),
    checker: bindingSchema.nullable(),
    host: bindingSchema.nullable(),
    'known-good': bindingSchema.nullable(),
  }),
  audit: z.array(auditAnswerSchema),
  landingEvidence: z.string(),
  ambiguousOutcomes: z.string(),
  reductionPlan: z.string(),
  skeleton: z
    .strictObject({ file: text, language: text, code: text })
    .nullable()
    .meta({ description: 'a test for plan run --author to write' }),
  discipline: disciplineSchema.nullable(),
  boundary: boundarySchema.nullable(),
})

const adequacySchema = z.strictObject({
  claim: claimId,
  threat: text,
  scenarios: z.array(scenarioId),
  why: text,
})

const residualSchema = z.strictObject({ what: text, why: text, acceptable: text, revisit: text })

export const planSchema = z
  .strictObject({
    version: z.literal(PLAN_VERSION),
    title: text,
    header: headerSchema,
    architecture: text,
    scope: text,
    claims: z.array(claimSchema).min(1, 'a plan needs a claim'),
    missingClaims: z.array(missingClaimSchema),
    systemModel: text,
    existingTests: z.array(existingTestSchema),
    hypotheses: z.array(hypothesisSchema).min(1, 'a plan needs a hypothesis'),
    pitfalls: z.array(pitfallAnswerSchema),
    coverage: z.array(coverageSchema),
    techniques: z.array(techniqueSchema).min(1, 'a plan needs a technique'),
    environment: z.array(requirementSchema),
    scenarios: z.array(scenarioSchema).min(1, 'a plan needs a scenario'),
    adequacy: z.array(adequacySchema),
    residual: z.array(residualSchema),
    confidence: text,
    notCovered: text,
    openQuestions: text,
  })
  .meta({
    title: 'wavetank plan',
    description: 'claims, hypotheses and scenarios, read from a Markdown plan',
  })

export type Plan = z.infer<typeof planSchema>
export type Scenario = Plan['scenarios'][number]
export type Claim = Plan['claims'][number]
export type Requirement = Plan['environment'][number]
export type Arm = Scenario['arms'][number]
