/** What a plan ends with: adequacy, residual uncertainty, and a statement of confidence that does not exceed it. */
import type { Rule } from './lint-context.ts'

/** Words that no test can earn. */
const OVERCLAIM =
  /\b(prove[sn]?|guarantee[sd]?|bug-?free|100 ?%|fully (tested|verified|correct)|cannot fail|always correct|is (correct|safe|secure))\b/i

/** A sentence that says what is not known. */
const LIMIT = /\b(not|nothing|no|outside|untested|unknown|never|without)\b/i

export const ENDING_RULES: Readonly<Record<string, Rule>> = {
  adequacy: ({ plan, report }) => {
    const scenarios = new Set(plan.scenarios.map(({ id }) => id))
    const claims = new Set(plan.claims.map(({ id }) => id))
    plan.adequacy.forEach(({ claim, scenarios: named }, index) => {
      if (!claims.has(claim)) report(['adequacy', index, 'claim'], `${claim} is not in §1b`)
      if (named.length === 0)
        report(['adequacy', index, 'scenarios'], `which scenarios are adequate for ${claim}?`)
      for (const id of named)
        if (!scenarios.has(id)) report(['adequacy', index, 'scenarios'], `${id} is not in §7`)
    })
    for (const { id } of plan.claims)
      if (!plan.adequacy.some(({ claim }) => claim === id))
        report(['adequacy'], `§7b has no row for ${id}: say why its scenarios are enough`)
  },

  confidence: ({ plan, report }) => {
    const { confidence } = plan
    const sentences = confidence.match(/[^.!?]+[.!?]+(?=\s|$)/g) ?? []
    if (sentences.length < 4 || sentences.length > 8)
      report(
        ['confidence'],
        `the statement of confidence has ${sentences.length} sentences; four to eight say what was seen, under what, and what was not tried`,
      )
    const overclaim = OVERCLAIM.exec(confidence)
    if (overclaim !== null)
      report(
        ['confidence'],
        `"${overclaim[0]}" is more than tests can show; write what was not observed under which faults`,
      )
    if (!sentences.some((sentence) => LIMIT.test(sentence)))
      report(['confidence'], 'the statement of confidence names nothing that is untested')
  },
}
