/** Process faults of the catalogue: processes and machines that stop, stall or go down. */
import type { TankFault } from '../catalogue.ts'

export const PROCESS_FAULTS: readonly TankFault[] = [
  {
    name: 'pause',
    group: 'process',
    text: 'A process stands still for a while and goes on as if nothing had been, as in a long collection or a stopped container.',
    parameters: [],
    mechanism: 'SIGSTOP, then SIGCONT: events for the process wait; its connections stay open.',
    landing: 'events that the process could not handle while it stood still',
    cleanup: 'The process goes on, unless another fault ended that boot.',
    cannot:
      'It pauses one process, never a whole machine, and no more processes of a group than the budget allows.',
  },
  {
    name: 'reboot',
    group: 'process',
    text: 'A process, machine or zone goes down and comes back: stopped, killed, without power, or with an empty disk.',
    parameters: [
      {
        name: 'kind',
        unit: '',
        drawn: { of: ['stop', 'kill', 'power-loss', 'wipe'] },
        text: 'how it goes down; weights are `attrition` of the level',
      },
      {
        name: 'scope',
        unit: '',
        drawn: { of: ['process', 'machine', 'zone'] },
        text: 'what goes down as one; weights are `attrition.scope`',
      },
      {
        name: 'grace',
        unit: 'ms',
        drawn: { least: 500, most: 3000 },
        text: 'between SIGTERM and SIGKILL of a `stop`; `attrition.graceMs`',
      },
    ],
    mechanism:
      'SIGTERM and SIGKILL after the grace; SIGKILL; or the host loses power, and with it connections and what its disk had not made durable.',
    landing: 'processes that were alive when it struck',
    cleanup: 'The host gets power again, and the processes start with fresh memory.',
    cannot: 'A wipe needs `lyingDisks`; no more processes of a group are out at once than `dead` allows.',
  },
  {
    name: 'loop-stall',
    group: 'process',
    text: 'A process runs, but its event loop is late again and again, as if callbacks took long.',
    parameters: [
      { name: 'stall', unit: 'µs', drawn: { least: 20_000, most: 80_000 }, text: 'how long it stands still' },
      { name: 'gap', unit: 'µs', drawn: { least: 20_000, most: 100_000 }, text: 'between two stalls' },
    ],
    mechanism: 'The process is stopped for the stall and goes on for the gap, until the episode ends.',
    landing: 'events that had to wait for the loop',
    cleanup: 'The process goes on.',
    cannot: 'A stall comes between two callbacks, never inside one; the process does not count as out.',
  },
  {
    name: 'crash-loop',
    group: 'process',
    text: 'A process is killed again and again, each time soon after it was started.',
    parameters: [{ name: 'times', unit: '', drawn: { least: 3, most: 6 }, text: 'how often it is killed' }],
    mechanism: 'SIGKILL at equal distances within the episode; the process starts again halfway to the next.',
    landing: 'boots that were killed',
    cleanup: 'The process is started again.',
    cannot: 'It strikes only where `dead` allows the process to be out.',
  },
  {
    name: 'mass-restart',
    group: 'process',
    text: 'All processes of a group go down at once and come back together.',
    parameters: [{ name: 'how', unit: '', drawn: { of: ['stop', 'kill'] }, text: 'SIGTERM or SIGKILL' }],
    mechanism:
      'Every process of the group gets the signal; what has not stopped when the episode ends is killed, and all start again.',
    landing: 'processes that were alive when it struck',
    cleanup: 'The processes are started again.',
    cannot: "It needs a budget under which the whole group may be out, such as `dead: 'all'`.",
  },
  {
    name: 'rolling-restart',
    group: 'process',
    text: 'The processes of a group are restarted one after the other.',
    parameters: [
      {
        name: 'order',
        unit: '',
        drawn: { of: ['right', 'wrong'] },
        text: 'each is back before the next goes, or backwards with the next going first',
      },
    ],
    mechanism:
      'SIGTERM, then SIGKILL for what has not stopped when it must start again. In the wrong order two are down at a time.',
    landing: 'processes that were restarted',
    cleanup: 'The processes are started again.',
    cannot:
      'It leaves out a process that `dead` does not allow to go: under `dead: 1` the wrong order skips every other one.',
  },
  {
    name: 'cascade',
    group: 'process',
    text: 'A process fails, and others fail after it.',
    parameters: [],
    mechanism:
      'The first is killed. By `propagation` of the simulation (from which group to which, after how long, how likely) others are killed after it, and others after those; without rules a failure spreads within its group with probability 0.7 after 50 to 500 ms.',
    landing: 'processes that failed after the first one',
    cleanup: 'The processes are started again.',
    cannot: 'It stops where `dead` allows no more: in a group of three with the usual budget it never lands.',
  },
  {
    name: 'out-of-memory',
    group: 'process',
    text: 'A process runs out of memory and is gone.',
    parameters: [],
    mechanism: 'The process ends by SIGABRT, as V8 ends it; its sockets are closed by the kernel.',
    landing: 'whether the process was alive',
    cleanup: 'The process is started again.',
    cannot: 'Nothing is slow before the end, and the program prints no last words.',
  },
]
