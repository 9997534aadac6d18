/** The type of a bug after TaxDC and its severity: suggestions from what is known, each with its reason. */
import { BUG_TAGS, BUG_TYPES, type Severity } from '../catalog/taxdc.ts'
import type { Evidence, Violation } from '../evidence/evidence.ts'
import type { Claim } from '../model/plan.ts'

export interface Classification {
  readonly type: string
  readonly because: string
  readonly tags: readonly string[]
  readonly severity: Severity
}

export function classify(violation: Violation, evidence: Evidence, claims: readonly Claim[]): Classification {
  const isReproducible = violation.reruns.tried > 0 && violation.reruns.failedAgain === violation.reruns.tried
  return {
    ...typeOf(violation, evidence),
    tags: BUG_TAGS.filter((tag) => claims.some(({ category }) => category === tag)),
    severity: severityOf(claims, isReproducible),
  }
}

/** The faults that shrinking could not leave out say most; those that landed say less. */
function typeOf(
  { shrunk }: Violation,
  { source, faults }: Evidence,
): Pick<Classification, 'type' | 'because'> {
  if (shrunk !== null && shrunk.faults.length > 0)
    return {
      type: byFamilies(shrunk.faults),
      because: `the shrunk failure needs ${shrunk.faults.join(', ')}`,
    }
  if (shrunk !== null)
    return { type: 'ordering', because: 'the shrunk failure needs no fault: the order of events is enough' }
  if (source.kind === 'race') return { type: 'ordering', because: 'a schedule alone breaks it' }
  const landed = faults.filter((fault) => fault.landed > 0).map(({ nemesis }) => nemesis.split('/')[0])
  return landed.length === 0
    ? { type: 'ordering', because: 'no fault landed before it' }
    : {
        type: byFamilies(landed),
        because: `not shrunk; ${[...new Set(landed)].join(', ')} landed in the run`,
      }
}

function byFamilies(families: readonly string[]): string {
  return (
    BUG_TYPES.find((type) => type.families.some((family) => families.includes(family)))?.id ??
    'fault-handling'
  )
}

const HARMFUL = new Set([
  'safety',
  'durability',
  'idempotency',
  'isolation',
  'ordering',
  'membership',
  'boundary',
])

function severityOf(claims: readonly Claim[], isReproducible: boolean): Severity {
  if (claims.some(({ category }) => HARMFUL.has(category))) return isReproducible ? 'P0' : 'P1'
  if (claims.some(({ category }) => category === 'liveness' || category === 'operational')) return 'P1'
  return 'P2'
}
