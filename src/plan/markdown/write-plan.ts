/**
 * Writes changed values back into a plan. Only the bytes of what changed are touched, so a plan that is read and written
 * is the same file, and a diff shows what was meant. Values that are derived from others, and rows or sections that come
 * or go, are changed in the file itself.
 */
import { UsageError } from '../../kernel/errors.ts'
import { planSchema, type Plan } from '../model/plan.ts'
import { keyOf, type Path } from './draft.ts'
import type { PlanDocument } from './read-plan.ts'

interface Edit {
  readonly start: number
  readonly end: number
  readonly text: string
}

export function writePlan(document: PlanDocument, plan: Plan): string {
  if (document.plan === null)
    throw refusal('a plan with problems cannot be written; `wavetank plan lint` lists them')
  const next = planSchema.parse(plan)
  const edits = changesBetween(document.plan, next, []).map(({ path, value }) =>
    editOf(document, path, value),
  )
  return applyEdits(document.text, edits)
}

function editOf({ places }: PlanDocument, path: Path, value: unknown): Edit {
  const place = places.get(keyOf(path))
  if (place === undefined || place.print === null)
    throw refusal(`${keyOf(path)} cannot be changed by itself: change it in the file`)
  return { start: place.span.start, end: place.span.end, text: place.print(value) }
}

interface Change {
  readonly path: Path
  readonly value: unknown
}

function changesBetween(before: unknown, after: unknown, path: Path): Change[] {
  if (Object.is(before, after)) return []
  if (!isComposed(before) || !isComposed(after)) return [{ path, value: after }]
  const isList = Array.isArray(before) && before.every((each) => typeof each === 'string')
  if (isList) return JSON.stringify(before) === JSON.stringify(after) ? [] : [{ path, value: after }]
  const keys = new Set([...Object.keys(before), ...Object.keys(after)])
  if (Array.isArray(before) && before.length !== (after as unknown[]).length)
    throw refusal(
      `${keyOf(path)} has ${before.length} entries in the file and would have ${(after as unknown[]).length}: add or remove them in the file`,
    )
  return [...keys].flatMap((key) =>
    changesBetween((before as Record<string, unknown>)[key], (after as Record<string, unknown>)[key], [
      ...path,
      Array.isArray(before) ? Number(key) : key,
    ]),
  )
}

function isComposed(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}

/** Replaces spans of a text; they must not overlap. */
export function applyEdits(text: string, edits: readonly Edit[]): string {
  let result = text
  for (const { start, end, text: replacement } of edits.toSorted((a, b) => b.start - a.start))
    result = result.slice(0, start) + replacement + result.slice(end)
  return result
}

function refusal(why: string): UsageError {
  return new UsageError('ERR_WAVETANK_PLAN_EDIT', `plan: ${why}`)
}
