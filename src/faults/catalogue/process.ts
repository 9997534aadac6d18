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
]
