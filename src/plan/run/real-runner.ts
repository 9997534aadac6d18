/** Runs `wavetank real test` with the arguments of the binding, once per seed, each in a process of its own. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { evidenceFromReal, type RealTest } from '../evidence/from-real.ts'
import { printWords } from '../model/command-words.ts'
import type { BindingRunner, RunRequest } from './binding-runner.ts'
import { runSeeds } from './seed-runs.ts'
import { testArguments } from './test-arguments.ts'

export function realRunner(
  wavetank: readonly string[],
  versions: Readonly<Record<string, string>>,
): BindingRunner {
  return async (request) =>
    runSeeds(request, {
      command: (seed, folder) => [...wavetank, ...commandOf(request, seed, ['--store', folder])],
      read: (folder, seed) => readTest(folder, `npx wavetank ${printWords(commandOf(request, seed, []))}`),
      evidence: (tests: readonly RealTest[]) =>
        evidenceFromReal(tests, { what: request.binding.target, versions: { ...versions } }),
    })
}

function commandOf(request: RunRequest, seed: number, more: readonly string[]): string[] {
  return ['real', 'test', ...testArguments(request, ['--seed', String(seed), ...more])]
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
      ? { result, reproducer, artefact: folder }
      : `the results are of version ${String(result.version)}`
  } catch (error) {
    return `the results cannot be read: ${(error as Error).message}`
  }
}
