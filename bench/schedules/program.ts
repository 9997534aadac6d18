/**
 * A program of the strength bench: a body with a bug that only some schedules show, and the same without the bug. Each
 * shared access and each lock operation is one scheduling point; nothing else is.
 */
import type { RaceBody, RaceContext } from '../../src/explore/index.ts'

export interface Program {
  readonly name: string
  readonly broken: RaceBody
  /** Must hold under every schedule. */
  readonly fixed: RaceBody
  /** Mean schedules to the bug in a reference model of the same program, by strategy, where there are such numbers. */
  readonly reference?: Readonly<Record<string, number>>
}

/** Makes both versions of a program from one function of "is it fixed?". */
export function versions(make: (fixed: boolean) => RaceBody): Pick<Program, 'broken' | 'fixed'> {
  return { broken: make(false), fixed: make(true) }
}

/** Runs each piece of work as a task of its own. */
export function all(t: RaceContext, works: readonly (() => unknown)[]): Promise<unknown> {
  return Promise.all(works.map((work, i) => t.task(`t${i}`, work)))
}

export function times<T>(n: number, make: (i: number) => T): T[] {
  return Array.from({ length: n }, (_, i) => make(i))
}

/** Steps that touch nothing anybody else touches. */
export async function pad(t: RaceContext, n: number): Promise<void> {
  for (let i = 0; i < n; i++) await t.access('nothing', 'read', 'pad')
}
