/** Runs `wavetank maelstrom|real test` with the arguments of the binding, once per seed, each in a process of its own. */
import type { Evidence } from '../evidence/evidence.ts'
import { printWords } from '../model/command-words.ts'
import type { BindingRunner } from './binding-runner.ts'
import { runSeeds } from './seed-runs.ts'
import { testArguments } from './test-arguments.ts'

export interface TestCommand<Run> {
  readonly name: 'maelstrom' | 'real'
  /** What a test left in its store, or why that cannot be read. */
  read(store: string, reproducer: string): Run | string
  evidence(runs: readonly Run[], what: string): Evidence
}

/** `wavetank` begins the command line: the program and its first arguments. */
export function testRunner<Run>(wavetank: readonly string[], test: TestCommand<Run>): BindingRunner {
  return async (request) => {
    const words = (seed: number, ...more: string[]): string[] => {
      return [test.name, 'test', ...testArguments(request, ['--seed', String(seed), ...more])]
    }
    return runSeeds(request, {
      command: (seed, folder) => [...wavetank, ...words(seed, '--store', folder)],
      read: (folder, seed) => test.read(folder, `npx wavetank ${printWords(words(seed))}`),
      evidence: (runs: readonly Run[]) => test.evidence(runs, request.binding.target),
    })
  }
}
