/** Wire taps on a real cluster: the proxy sees every byte between nodes, so the taps of a simulation work on it. */
import { tapListener, type TapEvents, type WireTap } from '../../sim/authoring/wire-taps.ts'
import type { SeenBytes } from '../proxy/proxy.ts'

/** What to do with bytes that the proxy saw; null if there are no taps. */
export function realTaps(
  taps: Readonly<Record<string, WireTap>> | undefined,
  events: TapEvents,
): ((seen: SeenBytes) => void) | null {
  if (taps === undefined) return null
  let to = ''
  const listeners = Object.entries(taps).map(([name, tap]) => tapListener(name, tap, events, () => to))
  return (seen) => {
    const { protocol, from, port, fromPort, connection, accepted, bytes } = seen
    const near = { family: 4 as const, address: from, port: accepted ? port : fromPort }
    const far = { family: 4 as const, address: seen.to, port: accepted ? 0 : port }
    to = seen.to
    for (const listen of listeners)
      listen({ protocol, host: from, local: near, remote: far, connection, accepted, bytes })
  }
}
