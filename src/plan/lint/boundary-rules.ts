/** §7.M.S: scenarios about boundaries and fairness need the matrix, with arms where there are many surfaces. */
import { CLAIM_CATEGORIES } from '../catalog/claim-categories.ts'
import { CONFUSABLE_IDENTIFIERS } from '../catalog/confusable-identifiers.ts'
import { claimsOf } from '../verdict/question.ts'
import type { Rule } from './lint-context.ts'

/** More of these than one arm can tell apart. */
const MOST_PER_ARM = 3

const SURFACE: ReadonlySet<string> = new Set(
  CLAIM_CATEGORIES.filter(({ surface }) => surface).map(({ id }) => id),
)

export const BOUNDARY_RULES: Readonly<Record<string, Rule>> = {
  'boundary-matrix': ({ plan, report }) => {
    plan.scenarios.forEach((scenario, index) => {
      const path = ['scenarios', index]
      const claims = claimsOf(plan, scenario)
      const isSurface = claims.some(({ category }) => SURFACE.has(category))
      const { boundary, id, arms } = scenario
      if (isSurface && boundary === null)
        report(path, `${id} is about a boundary or fairness and has no §7.M.S: the boundary matrix`)
      const surfaces =
        boundary === null ? 0 : boundary.Surfaces.split(/[,;]/).filter((part) => part.trim() !== '').length
      const categories = new Set(claims.map(({ category }) => category)).size
      const oracles = boundary === null ? 0 : scenario.oraclePatterns.length
      const many = [
        ...(surfaces > MOST_PER_ARM ? [`${surfaces} surfaces`] : []),
        ...(categories > MOST_PER_ARM ? [`claims of ${categories} categories`] : []),
        ...(oracles > 1 ? [`${oracles} oracles`] : []),
      ]
      if (arms.length === 1 && many.length > 0)
        report(path, `${id} has ${many.join(', ')} and one arm: split it into arms`)
    })
  },

  'boundary-controls': ({ plan, report }) => {
    plan.scenarios.forEach(({ boundary }, index) => {
      if (boundary === null) return
      const path = ['scenarios', index, 'boundary']
      for (const label of ['Positive controls', 'Negative controls'] as const)
        if (/^(none|n\/a)\b/i.test(boundary[label]))
          report(
            [...path, label],
            `a matrix without ${label.toLowerCase()} passes when everything is refused, or nothing is`,
          )
      const named = CONFUSABLE_IDENTIFIERS.filter(({ id }) => boundary['Confusable identifiers'].includes(id))
      if (named.length === 0)
        report(
          [...path, 'Confusable identifiers'],
          'name at least one class (wavetank catalog confusable-identifiers)',
        )
      if (boundary['Minimum hardening budget'] === boundary['Minimum smoke budget'])
        report(
          [...path, 'Minimum hardening budget'],
          'the hardening budget of a boundary must be stronger than its smoke budget',
        )
    })
  },
}
