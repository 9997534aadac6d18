/** Runs `wavetank maelstrom test` with the arguments of the binding, once per seed, each in a process of its own. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { evidenceFromMaelstrom, type MaelstromRun } from '../evidence/from-maelstrom.ts'
import { printWords } from '../model/command-words.ts'
import type { BindingRunner, RunRequest } from './binding-runner.ts'
import { runSeeds } from './seed-runs.ts'
import { testArguments } from './test-arguments.ts'

export function maelstromRunner(
  wavetank: readonly string[],
  versions: Readonly<Record<string, string>>,
): BindingRunner {
  return async (request) =>
    runSeeds(request, {
      command: (seed, folder) => [...wavetank, ...commandOf(request, seed, ['--store', folder])],
      read: (folder, seed) => readTest(folder, `npx wavetank ${printWords(commandOf(request, seed, []))}`),
      evidence: (runs: readonly MaelstromRun[]) =>
        evidenceFromMaelstrom(runs, { what: request.binding.target, versions: { ...versions } }),
    })
}

function commandOf(request: RunRequest, seed: number, more: readonly string[]): string[] {
  return ['maelstrom', 'test', ...testArguments(request, ['--seed', String(seed), ...more])]
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
      artefact: folder,
    }
  } catch (error) {
    return `the results cannot be read: ${(error as Error).message}`
  }
}
