/** What `wavetank real test` left in its store, as evidence. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { evidenceFromReal, type RealTest } from '../evidence/from-real.ts'
import { shortPath } from '../../failures/keep.ts'
import type { BindingRunner } from './binding-runner.ts'
import { testRunner } from './test-runner.ts'

export function realRunner(
  wavetank: readonly string[],
  versions: Readonly<Record<string, string>>,
): BindingRunner {
  return testRunner(wavetank, {
    name: 'real',
    read: readTest,
    evidence: (tests: readonly RealTest[], what) => evidenceFromReal(tests, { what, versions }),
  })
}

/** The store has a folder with the name of the simulation, which the binding need not say. */
function readTest(store: string, reproducer: string): RealTest | string {
  const folder = readdirSync(store)
    .map((name) => join(store, name, 'latest'))
    .find((each) => existsSync(join(each, 'results.json')))
  if (folder === undefined) return 'there are no results'
  try {
    const result = JSON.parse(readFileSync(join(folder, 'results.json'), 'utf8')) as RealTest['result']
    return result.version === 1
      ? { result, reproducer, artefact: shortPath(folder) }
      : `the results are of version ${String(result.version)}`
  } catch (error) {
    return `the results cannot be read: ${(error as Error).message}`
  }
}
