/**
 * Where the oracles are: histories with verdicts that other projects decided. They are not part of this repository;
 * `WAVETANK_ORACLES` names their folder, and a suite that cannot find them says so and is skipped.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'

export const ORACLES = process.env.WAVETANK_ORACLES ?? join(import.meta.dirname, '../../../shared/oracles')

/** A suite over one folder of oracles; skipped, visibly, where the folder is absent. */
export function describeOracles(folder: string, body: (path: string) => void): void {
  const path = join(ORACLES, folder)
  const suite = existsSync(path) ? present : absent
  suite(folder, () => {
    body(path)
  })
}

function present(folder: string, body: () => void): void {
  describe(`oracles: ${folder}`, () => {
    body()
  })
}

function absent(folder: string): void {
  it.skipIf(!existsSync(ORACLES))(`oracles: ${folder}: not found, set WAVETANK_ORACLES`, () => {
    expect(existsSync(join(ORACLES, folder)), `${folder} is missing from ${ORACLES}`).toBe(true)
  })
}

/** Files of a folder and its folders, sorted, without READMEs; empty where the folder is absent. */
export function filesUnder(path: string, pattern: RegExp): string[] {
  if (!existsSync(path)) return []
  const names = readdirSync(path, { recursive: true, encoding: 'utf8' })
  return names.filter((name) => pattern.test(name)).sort()
}

export function readText(path: string): string {
  const bytes = readFileSync(path)
  return (bytes[0] === 0x1f && bytes[1] === 0x8b ? gunzipSync(bytes) : bytes).toString('utf8')
}
