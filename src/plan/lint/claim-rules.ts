/** Claims, hypotheses, pitfalls and the matrix between them: §1b to §6b. */
import { PITFALLS } from '../catalog/pitfalls.ts'
import { TECHNIQUES } from '../catalog/techniques.ts'
import type { Rule } from './lint-context.ts'

/** A file with a line, a page, or a section of a document. */
const PLACE = /(\S+\.\w+):(\d+)|https?:\/\/\S+/

export const CLAIM_RULES: Readonly<Record<string, Rule>> = {
  'unique-ids': ({ plan, report }) => {
    for (const key of ['claims', 'hypotheses', 'scenarios'] as const) {
      const seen = new Set<string>()
      plan[key].forEach(({ id }, index) => {
        if (seen.has(id)) report([key, index, 'id'], `${id} is used twice`)
        seen.add(id)
      })
    }
  },

  'claim-source': ({ plan, project, report }) => {
    plan.claims.forEach(({ id, source, inferred }, index) => {
      const place = PLACE.exec(source)
      if (place === null) {
        if (!inferred)
          report(
            ['claims', index, 'source'],
            `${id} is not marked as inferred, so its source must be a file with a line or an address; mark it as inferred if no sentence says it`,
          )
        return
      }
      if (place[1] === undefined || project === null) return
      const lines = project.linesOf(place[1])
      if (lines === null) report(['claims', index, 'source'], `${id} cites ${place[1]}, which does not exist`)
      else if (Number(place[2]) > lines)
        report(['claims', index, 'source'], `${id} cites line ${place[2]} of ${place[1]}, which has ${lines}`)
    })
  },

  'claim-without-hypothesis': ({ plan, report }) => {
    plan.claims.forEach(({ id }, index) => {
      if (!plan.hypotheses.some(({ falsifies }) => falsifies.includes(id)))
        report(
          ['claims', index],
          `no hypothesis in §4 could falsify ${id}: say how it could be false, or drop it`,
        )
    })
  },

  'hypothesis-falsifies-a-claim': ({ plan, report }) => {
    const claims = new Set(plan.claims.map(({ id }) => id))
    plan.hypotheses.forEach(({ id, falsifies }, index) => {
      if (falsifies.length === 0) report(['hypotheses', index, 'falsifies'], `${id} falsifies no claim`)
      for (const claim of falsifies)
        if (!claims.has(claim))
          report(['hypotheses', index, 'falsifies'], `${id} falsifies ${claim}, which is not in §1b`)
    })
  },

  'hypothesis-without-scenario': ({ plan, report }) => {
    const tested = new Set(plan.scenarios.flatMap(({ falsifies }) => falsifies))
    plan.hypotheses.forEach(({ id }, index) => {
      const isOpen = plan.coverage.some(
        ({ hypothesis, state, gap }) => hypothesis === id && state !== 'covered' && gap !== null,
      )
      if (!tested.has(id) && !isOpen)
        report(['hypotheses', index], `no scenario in §7 tests ${id}, and §5 does not name the gap`)
    })
  },

  pitfalls: ({ plan, report }) => {
    const known = new Set(PITFALLS.map(({ id }) => id))
    const answered = new Set(plan.pitfalls.map(({ pitfall }) => pitfall))
    const hypotheses = new Set(plan.hypotheses.map(({ id }) => id))
    plan.pitfalls.forEach(({ pitfall, answer, reason }, index) => {
      if (!known.has(pitfall))
        report(['pitfalls', index, 'pitfall'], `there is no pitfall "${pitfall}" (wavetank catalog pitfalls)`)
      const named = [...reason.matchAll(/\bH\d+\b/g)].map(([id]) => id)
      for (const id of named)
        if (!hypotheses.has(id)) report(['pitfalls', index, 'reason'], `${id} is not in §4`)
      if (answer !== 'no' && named.length === 0)
        report(
          ['pitfalls', index, 'reason'],
          `${pitfall} is answered with ${answer}: name the hypothesis that is about it`,
        )
    })
    const open = PITFALLS.filter(({ id }) => !answered.has(id)).map(({ id }) => id)
    if (open.length > 0) report(['pitfalls'], `pitfalls without an answer: ${open.join(', ')}`)
  },

  coverage: ({ plan, report }) => {
    const ids = new Set([...plan.claims, ...plan.hypotheses].map(({ id }) => id))
    const scenarios = new Set(plan.scenarios.map(({ id }) => id))
    plan.coverage.forEach(({ claim, hypothesis, state, gap, by }, index) => {
      for (const id of [claim, hypothesis])
        if (!ids.has(id)) report(['coverage', index], `${id} is not in the plan`)
      if (state !== 'covered' && gap === null)
        report(
          ['coverage', index, 'gap'],
          `${claim} × ${hypothesis} is ${state === 'not' ? 'not covered' : 'covered in part'}: name the kind of gap`,
        )
      if (state === 'covered' && gap !== null)
        report(['coverage', index, 'gap'], `${claim} × ${hypothesis} is covered and has a gap: which is it?`)
      const named = [...by.matchAll(/\bS\d+\b/g)].map(([id]) => id)
      for (const id of named) if (!scenarios.has(id)) report(['coverage', index, 'by'], `${id} is not in §7`)
      if (state === 'covered' && named.length === 0)
        report(
          ['coverage', index, 'by'],
          `${claim} × ${hypothesis} is said to be covered: by which scenario?`,
        )
    })
    const rows = new Set(plan.coverage.map(({ claim, hypothesis }) => `${claim} × ${hypothesis}`))
    for (const { id, falsifies } of plan.hypotheses)
      for (const claim of falsifies)
        if (!rows.has(`${claim} × ${id}`)) report(['coverage'], `the matrix has no row ${claim} × ${id}`)
  },

  techniques: ({ plan, report }) => {
    const known = new Set(TECHNIQUES.map(({ id }) => id))
    plan.techniques.forEach(({ technique, hypotheses }, index) => {
      if (!known.has(technique))
        report(
          ['techniques', index, 'technique'],
          `there is no technique "${technique}" (wavetank catalog techniques)`,
        )
      for (const id of hypotheses)
        if (!plan.hypotheses.some((each) => each.id === id))
          report(['techniques', index, 'hypotheses'], `${id} is not in §4`)
    })
  },

  environment: ({ plan, report }) => {
    plan.environment.forEach(({ requirement, usedBy }, index) => {
      for (const id of usedBy)
        if (!plan.scenarios.some((each) => each.id === id))
          report(['environment', index, 'usedBy'], `${requirement} is used by ${id}, which is not in §7`)
    })
  },

  'architecture-length': ({ plan, report }) => {
    const lines = plan.architecture.split('\n').length
    if (lines > 30)
      report(['architecture'], `§0 has ${lines} lines; 30 are enough for a reader to follow the scenarios`)
  },
}
