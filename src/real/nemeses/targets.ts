/** Whom a fault hits: one node, a minority, a majority, the primaries, all, or a random subset. */
import type { ChangedThing, RealNode } from '../cluster/cluster.ts'
import type { Field } from './nemesis.ts'

export const TARGETS = ['one', 'minority', 'majority', 'primaries', 'all', 'some'] as const

/** Some of the living nodes, of those where nothing has changed `thing`; none if the variant finds none. */
export async function drawTargets(
  field: Field,
  variant: string,
  thing?: ChangedThing,
): Promise<readonly RealNode[]> {
  const { nodes, rng } = field
  const living = field.living.filter(({ changed }) => thing === undefined || !changed.has(thing))
  if (living.length === 0) return []
  const mixed = rng.shuffle(living)
  const minority = Math.max(1, Math.ceil(nodes.length / 2) - 1)
  switch (variant) {
    case 'one':
      return mixed.slice(0, 1)
    case 'minority':
      return mixed.slice(0, minority)
    case 'majority':
      return mixed.slice(0, Math.floor(nodes.length / 2) + 1)
    case 'primaries': {
      const leading = await field.primaries()
      return living.filter(({ name }) => leading.includes(name))
    }
    case 'all':
      return mixed
    default:
      return mixed.slice(0, rng.between(1, mixed.length))
  }
}

export function nodeNames(nodes: readonly RealNode[]): string {
  return nodes.map(({ name }) => name).join(', ')
}
