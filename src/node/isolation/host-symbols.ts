/**
 * Symbols of the host's own instance of a module, for modules that exist per process and whose objects meet shared code.
 * Streams are the host's and know only the host's abort signals by their symbols: a process's own signals, which need
 * the process's timers, carry the same ones; likewise methods of blobs. Read off sample objects, by description.
 */
import type { Internals } from '../library/internals.ts'

type Sampler = (exports: any) => readonly object[]

const SAMPLES: Readonly<Record<string, Sampler>> = {
  'internal/blob': ({ Blob }) => [new Blob([])],
  'internal/abort_controller': ({ AbortController, AbortSignal }) => {
    const { signal } = new AbortController()
    return AbortSignal.any === undefined ? [signal] : [AbortSignal.any([signal]), signal]
  },
}

/** The host's symbols of a module by description; none for a module whose symbols stay among its instances. */
export function hostSymbols(internals: Internals, id: string): ReadonlyMap<string, symbol> {
  const found = new Map<string, symbol>()
  for (const sample of SAMPLES[id]?.(internals.require(id)) ?? []) {
    for (const symbol of Object.getOwnPropertySymbols(sample))
      if (symbol.description !== undefined) found.set(symbol.description, symbol)
  }
  return found
}
