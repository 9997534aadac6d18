/**
 * What each backend can do. What one cannot do is an error before the run, never a fault that does not land in it; and an
 * invariant that would see too little is left out, by name.
 */
import { UsageError } from '../../../kernel/errors.ts'
import type { SimulationDefinition } from '../../../sim/authoring/definition.ts'
import type { BackendName } from './backend.ts'

/** What a packet filter cannot do. */
const NOT_PACKETS = ['latency', 'duplicate', 'reorder']
/** What works through a shell on another machine. */
const ELSEWHERE = new Set([
  'kill',
  'stop',
  'rolling-restart',
  'mass-restart',
  'pause',
  'partition',
  'isolate',
  'loss',
  'bandwidth',
  'reset',
  'membership',
])

/** Why a backend does not do a nemesis; null if it does. */
export function refusal(backend: BackendName, nemesis: string): string | null {
  if (backend === 'local') return null
  if (NOT_PACKETS.includes(nemesis))
    return `${nemesis} needs our proxy, which only the local backend has; a packet filter drops packets and does nothing else to them`
  if (backend !== 'namespaces' && !ELSEWHERE.has(nemesis))
    return `${nemesis} works on processes and folders of this machine; nodes of the ${backend} backend are on others`
  return null
}

/** Refuses what the backend cannot do with this simulation. */
export function checkFits(
  backend: BackendName,
  { processes, files }: SimulationDefinition,
  nemeses: readonly string[],
): void {
  if (backend === 'local') return
  const refused = nemeses.map((name) => refusal(backend, name)).find((reason) => reason !== null)
  if (refused !== undefined) throw unfit(backend, refused)
  if (backend === 'namespaces') return
  const [entry] = Object.entries(processes).filter(([, { system }]) => system === undefined)
  if (entry !== undefined)
    throw unfit(
      backend,
      `${entry[0]} is a program of this project, which other machines do not have: only a system can run there`,
    )
  if (files !== undefined) throw unfit(backend, 'the simulation watches files, which are on other machines')
}

/** What a backend cannot do. */
export function unfit(backend: BackendName, reason: string): UsageError {
  return new UsageError('ERR_WAVETANK_BACKEND', `wavetank real: --backend ${backend}: ${reason}`)
}

/**
 * Why invariants see too little: they read what is published, and bytes on tapped wires are part of it. One that reads
 * them and sees none would hold without having looked.
 */
export function blindness(backend: BackendName, { taps }: SimulationDefinition): string | null {
  if (backend === 'local' || taps === undefined) return null
  return `the ${backend} backend does not tap the wire, as the proxy of the local one does`
}
