/** What a rule sees: the plan, where everything stands, and a place to put problems. */
import { redFlagsIn } from '../catalog/red-flags.ts'
import type { Path } from '../markdown/draft.ts'
import { keyOf } from '../markdown/draft.ts'
import type { Problem } from '../markdown/problem.ts'
import type { PlanDocument } from '../markdown/read-plan.ts'
import type { Plan } from '../model/plan.ts'

/** Looks up files of the project. */
export interface Project {
  /** The number of lines of a file, or null if it does not exist. */
  linesOf(file: string): number | null
}

export type Rule = (context: RuleContext) => void

export interface RuleContext {
  readonly plan: Plan
  readonly project: Project | null
  /** A problem at the place of a datum, or of the nearest that has one. */
  report(path: Path, message: string): void
  /** Refuses phrases that decide nothing. */
  refuseRedFlags(path: Path, what: string, text: string): void
}

export class LintContext {
  readonly problems: Problem[] = []
  private readonly document: PlanDocument
  private readonly plan: Plan
  private readonly project: Project | null

  constructor(document: PlanDocument, plan: Plan, project: Project | null) {
    this.document = document
    this.plan = plan
    this.project = project
  }

  for(rule: string): RuleContext {
    const report = (path: Path, message: string): void => {
      const { section, line } = this.placeOf(path)
      this.problems.push({ rule, section, line, message })
    }
    return {
      plan: this.plan,
      project: this.project,
      report,
      refuseRedFlags: (path, what, text) => {
        for (const { id, title, instead } of redFlagsIn(text).filter(({ id: flag }) => flag !== 'to-do'))
          report(
            path,
            `${what} says "${title.toLowerCase()}", which decides nothing; write ${instead} (wavetank catalog red-flags ${id})`,
          )
      },
    }
  }

  private placeOf(path: Path): { section: string; line: number } {
    for (let length = path.length; length > 0; length--) {
      const place = this.document.places.get(keyOf(path.slice(0, length)))
      if (place !== undefined && place.span.line > 0) return { section: place.section, line: place.span.line }
    }
    return { section: 'header', line: 1 }
  }
}
