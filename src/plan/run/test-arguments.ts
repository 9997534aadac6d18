/** The arguments of a Maelstrom or real test: those of the binding, as the budget changes them. */
import { commandWords } from '../model/command-words.ts'
import { plansFaults } from '../model/budget.ts'
import type { RunRequest } from './binding-runner.ts'

/**
 * Without faults there is no nemesis. A budget with a duration, and a binding without a limit of its own: the time is
 * spread over the seeds. What follows `--` belongs to the program and stays last.
 */
export function testArguments(
  { binding, budget, tier }: Pick<RunRequest, 'binding' | 'budget' | 'tier'>,
  more: readonly string[],
): string[] {
  const words = commandWords(binding.target) ?? []
  const at = words.indexOf('--')
  const [own, rest] = at < 0 ? [words, []] : [words.slice(0, at), words.slice(at)]
  const calm = plansFaults(budget, tier) ? own : without(own, '--nemesis')
  const isLimited = calm.some((word) => /^--time-limit(=|$)/.test(word))
  const seconds = Math.ceil(budget.durationMs / budget.seeds / 1000)
  const limit = isLimited || seconds === 0 ? [] : ['--time-limit', String(seconds)]
  return [...calm, ...limit, ...more, ...rest]
}

function without(words: readonly string[], option: string): string[] {
  return words.filter(
    (word, index) => word !== option && words[index - 1] !== option && !word.startsWith(`${option}=`),
  )
}
