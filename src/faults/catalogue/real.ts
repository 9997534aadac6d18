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

/** What the clock faults have alike. */
const BY_FAKETIME = {
  landing: 'the wall clock as the program itself reads it, far enough from that of the machine',
  cleanup: 'The library is given the right time; the clock of the machine was never set.',
  cannot:
    'Programs in Go, programs that are linked statically and programs that the library breaks are refused, and so are systems that cannot be asked for their time. Monotonic time and timers are right; no clock is further off than `clockSkewMs`.',
} as const

/** What the disk faults have alike that strace makes. */
const BY_STRACE = {
  cleanup: 'strace lets go of the process; calls reach the kernel again.',
  cannot:
    'A file that is new is hit some 100 ms after it appears. Memory maps and io_uring pass by, and every call of the program is slower while strace is attached.',
} as const

/** What the faults that damage files have alike. */
const ON_DEAD_NODES = {
  landing: 'the node has read the damaged file since, by its time of access',
  cleanup: 'The node is started again over the damaged file; nothing is repaired.',
  cannot:
    'It needs the budget `lyingDisks`, and damages at most that many disks in a whole run. On a mount without times of access it cannot be proven.',
} as const

export const REAL_FAULTS: Readonly<Partial<Record<FamilyName, FaultInWorld>>> = {
  pause: {
    mechanism: 'SIGSTOP to every process of the node, later SIGCONT; or the freezer of the kernel (freeze).',
    landing: 'every thread of the node is in state T, at the beginning and at the end',
    cleanup: 'SIGCONT, unless the node has been started anew meanwhile.',
    cannot: 'Connections stay open, and the kernel still accepts and acknowledges for the node.',
  },
  reboot: {
    mechanism: 'SIGKILL, or SIGTERM with a grace of 3 s (`kill`, `stop`), later a new start.',
    landing: 'the exit of the process, by that signal',
    cleanup: 'The node is started again with its files as they are.',
    cannot: 'The machine keeps its power: what was written survives without fsync. Only the tank loses it.',
  },
  'rolling-restart': {
    mechanism: 'Every node in turn gets SIGTERM (or SIGKILL), is started again, and is waited for.',
    landing: 'the exit of every process',
    cleanup: 'Every node runs again when the fault ends.',
    cannot: 'The order is always the right one: a node serves before the next one goes.',
  },
  'mass-restart': {
    mechanism: 'All nodes get SIGKILL (or SIGTERM) at once, and are started again at once.',
    landing: 'the exit of every process, by that signal',
    cleanup: 'Every node runs again when the fault ends.',
    cannot: 'The machine keeps its power: what was written survives without fsync.',
  },
  membership: {
    mechanism: '`membership.leave` of the simulation is called, and `membership.join` when the fault ends.',
    landing: 'whether `leave` came to its end without an error',
    cleanup: '`join` is tried every half second until it succeeds, 60 times at most.',
    cannot: 'It is refused unless the simulation says how members leave and join.',
  },
  'clock-jump': {
    ...BY_FAKETIME,
    mechanism: 'libfaketime shows a clock that is ahead or behind as long as the fault lasts (`clock-skew`).',
  },
  'clock-back': {
    ...BY_FAKETIME,
    mechanism: 'libfaketime shows a clock that jumps away and back every 200 to 1,000 ms (`clock-jump`).',
  },
  'clock-drift': {
    ...BY_FAKETIME,
    mechanism: 'libfaketime gets another offset every 20 ms, so that the clock runs 5 to 50 % fast or slow.',
  },
  'disk-full': {
    ...BY_STRACE,
    mechanism: 'Every write to a file of the node fails with ENOSPC, by strace.',
    landing: 'calls of the node that got ENOSPC',
  },
  'disk-error': {
    ...BY_STRACE,
    mechanism:
      'Every second to fifth read and write of a thread fails with EIO (`disk-error`), or every change of the disk with EROFS (`read-only`).',
    landing: 'calls of the node that got EIO or EROFS',
  },
  'sync-error': {
    ...BY_STRACE,
    mechanism: 'fsync, fdatasync and msync fail with EIO, by strace.',
    landing: 'calls of the node that got EIO',
  },
  'disk-slow': {
    ...BY_STRACE,
    mechanism: 'strace holds fsync for 20 to 500 ms and writes for 1 to 50 ms.',
    landing: 'calls of the node that were held',
  },
  'torn-write': {
    ...ON_DEAD_NODES,
    mechanism: 'The node is killed, and a file loses up to 4,096 bytes at its end (`truncate`).',
  },
  'bit-rot': {
    ...ON_DEAD_NODES,
    mechanism: 'The node is killed, and one to three bits of a file flip (`bit-flip`).',
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
