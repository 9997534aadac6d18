/**
 * How faults of the catalogue are brought about among real processes, and how they show there. A fault that has no entry
 * here exists only in the tank. The mechanisms are in src/real/nemeses.
 */
import type { FaultInWorld } from '../catalogue.ts'
import type { FamilyName } from '../levels.ts'

/** What the faults of the proxy have alike. */
const IN_THE_PROXY = {
  cleanup: 'The links of the proxy are clear again; bytes that were held pass on in their order.',
} as const

export const REAL_FAULTS: Readonly<Partial<Record<FamilyName, FaultInWorld>>> = {
  pause: {
    mechanism: 'SIGSTOP to every process of the node, later SIGCONT.',
    landing: 'every thread of the node is in state T, at the beginning and at the end',
    cleanup: 'SIGCONT, unless the node has been started anew meanwhile.',
    cannot: 'Connections stay open, and the kernel still accepts and acknowledges for the node.',
  },
  reboot: {
    mechanism:
      'SIGKILL, or SIGTERM with a grace of 3 s (`kill`, `stop`, `rolling-restart`), later a new start.',
    landing: 'the exit of the process, by that signal',
    cleanup: 'The node is started again with its files as they are.',
    cannot: 'The machine keeps its power: what was written survives without fsync. Only the tank loses it.',
  },
  partition: {
    ...IN_THE_PROXY,
    mechanism: 'The directed links between the sides are cut in the proxy; clients reach all nodes.',
    landing: 'chunks and connections held back, and datagrams dropped, on the cut links',
    cannot:
      'The proxy accepts a connection before it holds it: a caller sees silence, not a connect time-out.',
  },
  'one-way-cut': {
    ...IN_THE_PROXY,
    mechanism: 'The links from one node to all others are cut; the links back work (`partition:one-way`).',
    landing: 'chunks and connections held back, and datagrams dropped, on the cut links',
    cannot: 'A new connection needs both directions, so none is made in either.',
  },
  'slow-link': {
    ...IN_THE_PROXY,
    mechanism: 'Every link delays what passes: constant, uniform, exponential, or in spikes (`latency`).',
    landing: 'chunks and datagrams that were delayed',
    cannot: 'Delays are at least a millisecond fine. Handshakes of TCP are not delayed.',
  },
  loss: {
    ...IN_THE_PROXY,
    mechanism: 'A share of the datagrams vanishes; a share of the chunks of TCP comes 200 ms late.',
    landing: 'datagrams that vanished, chunks that came late',
    cannot: 'The kernel itself loses nothing: TCP never gives up.',
  },
  duplicate: {
    ...IN_THE_PROXY,
    mechanism: 'A share of the datagrams is sent on twice.',
    landing: 'datagrams that were sent on twice',
    cannot: 'It does nothing to TCP, and a run without datagrams is no pass.',
  },
  reorder: {
    ...IN_THE_PROXY,
    mechanism: 'A share of the datagrams is held back by 20 ms.',
    landing: 'datagrams that were held back',
    cannot: 'It does nothing to TCP, and a run without datagrams is no pass.',
  },
  bandwidth: {
    ...IN_THE_PROXY,
    mechanism: 'Every link passes a limited number of bytes per second, chunk after chunk.',
    landing: 'chunks that were throttled',
    cannot: 'The buffers of the kernel on both sides of the proxy hide it from short messages.',
  },
  reset: {
    mechanism: 'Both ends of all connections of a node are reset by the proxy.',
    landing: 'connections that were broken',
    cleanup: 'There is nothing to undo: programs may connect again at once.',
    cannot: 'It breaks connections through the proxy only.',
  },
}
