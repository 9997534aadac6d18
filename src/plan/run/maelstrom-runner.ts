/** What `wavetank maelstrom test` left in its store, as evidence. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { evidenceFromMaelstrom, type MaelstromRun } from '../evidence/from-maelstrom.ts'
import { shortPath } from '../../failures/keep.ts'
import type { BindingRunner } from './binding-runner.ts'
import { testRunner } from './test-runner.ts'

export function maelstromRunner(
  wavetank: readonly string[],
  versions: Readonly<Record<string, string>>,
): BindingRunner {
  return testRunner(wavetank, {
    name: 'maelstrom',
    read: readTest,
    evidence: (runs: readonly MaelstromRun[], what) => evidenceFromMaelstrom(runs, { what, versions }),
  })
}

function readTest(store: string, reproducer: string): MaelstromRun | string {
  const folder = join(store, 'latest')
  if (!existsSync(join(folder, 'results.json'))) return 'there are no results'
  const json = (name: string): unknown => JSON.parse(readFileSync(join(folder, name), 'utf8'))
  const lines = (name: string): unknown[] =>
    readFileSync(join(folder, name), 'utf8')
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as unknown)
  try {
    return {
      facts: json('test.json') as MaelstromRun['facts'],
      results: json('results.json') as MaelstromRun['results'],
      operations: lines('history.jsonl') as MaelstromRun['operations'],
      faults: lines('faults.jsonl') as MaelstromRun['faults'],
      reproducer,
      artefact: shortPath(folder),
    }
  } catch (error) {
    return `the results cannot be read: ${(error as Error).message}`
  }
}
