/**
 * PCT over causal chains: Ozkan, Majumdar, Niksic, Befrouei, Weissenbacher, "Randomized Testing of Distributed Systems
 * with Probabilistic Guarantees", OOPSLA 2018. In an event loop the threads worth prioritising are not processes but
 * chains of events each of which caused the next. The chains are found online: an event extends the chain of the step
 * that scheduled it if that step is the chain's last, and begins a chain of its own otherwise.
 *
 * Departure: the paper keeps a provably small number of chains; the greedy partition here has no such bound.
 */
import type { KernelEvent } from '../../../kernel/event.ts'
import type { ExploreStrategy } from '../strategy.ts'
import { prioritised } from './pct.ts'

const DEFAULT_DEPTH = 3

export function pctcp({ depth = DEFAULT_DEPTH }: { readonly depth?: number } = {}): ExploreStrategy {
  let chains = new Map<number, number>() // event seq → chain
  let lastOf = new Map<number, number>() // chain → the step or event that is its end
  let chainOfStep = new Map<number, number>()
  let next = 1

  function chainOf(event: KernelEvent): number {
    let chain = chains.get(event.seq)
    if (chain !== undefined) return chain
    const parent = chainOfStep.get(event.cause)
    chain = parent !== undefined && lastOf.get(parent) === event.cause ? parent : next++
    chains.set(event.seq, chain)
    lastOf.set(chain, -event.seq)
    return chain
  }

  const inner = prioritised('pctcp', () => depth, chainOf)
  return {
    ...inner,
    begin(seed) {
      chains = new Map()
      lastOf = new Map()
      chainOfStep = new Map()
      next = 1
      inner.begin(seed)
    },
    ran(event, step) {
      const chain = chainOf(event)
      chains.delete(event.seq)
      chainOfStep.set(step, chain)
      lastOf.set(chain, step)
    },
  }
}
