/**
 * The causal slice of a run: the steps from which given steps can be reached along their causes, and nothing else. The
 * caller says what the causes of a step are. What is left out cannot have influenced the given steps.
 */

export interface Slice {
  /** In order. */
  readonly steps: readonly number[]
  /** False if the causes of a step were not known any more. */
  readonly complete: boolean
}

/** The causes of a step; null if nothing is known of it. Step 0 stands for the outside, before the first step. */
export type CausesOf = (step: number) => readonly number[] | null

export function slice(ends: readonly number[], causesOf: CausesOf): Slice {
  const kept = new Set<number>()
  let complete = true
  const open = [...ends]
  for (let step = open.pop(); step !== undefined; step = open.pop()) {
    if (step === 0 || kept.has(step)) continue
    const causes = causesOf(step)
    if (causes === null) {
      complete = false
      continue
    }
    kept.add(step)
    open.push(...causes)
  }
  return { steps: [...kept].sort((a, b) => a - b), complete }
}
