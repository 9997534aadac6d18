/**
 * When the zoo is open, and what is shown: a few exhibits with few schedules by default, all of them at full counts with
 * WAVETANK_FULL=1.
 */
import { expect, it } from 'vitest'
import { installPackages } from '../installation.ts'
import { EXHIBITS, FOLDER, type Exhibit, visit } from './exhibits.ts'

export const FULL = process.env.WAVETANK_FULL === '1'
export const TIMEOUT_MS = FULL ? 7_200_000 : 240_000

const FEW = new Set(['cockatiel', 'generic-pool', 'lru-cache', 'pg-pool', 'redis-client'])
const FIXED_SCHEDULES = FULL ? 20_000 : 40

/** The exhibits that are shown now. */
export const exhibits = EXHIBITS.filter(({ name }) => FULL || FEW.has(name))

/** Whether the packages are there; says why when they are not. */
export const isOpen = (): boolean => installPackages(FOLDER)

/** Declares a test for each exhibit: in the version without the bug, nothing is found. */
export function findsNothingInFixed(chosen: readonly Exhibit[]): void {
  it.each(chosen)('$name: finds nothing in $fixed', { timeout: TIMEOUT_MS }, async (exhibit) => {
    const visited = await visit(exhibit, 'fixed', { iterations: FIXED_SCHEDULES, budgetWallMs: Infinity })
    expect(visited).toMatchObject({ kind: 'held', result: { iterations: FIXED_SCHEDULES } })
  })
}
