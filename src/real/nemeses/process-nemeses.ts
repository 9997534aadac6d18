/** Processes that are killed, stopped, restarted or paused. The victim's side is what the kernel says of the process. */
import type { Cluster, RealNode } from '../cluster/cluster.ts'
import { NODE_VARIABLE, RUN_VARIABLE } from '../cleanup/manifest.ts'
import { processesWith, threadStates } from '../cluster/process-state.ts'
import type { Exit } from '../cluster/node-process.ts'
import type { Evidence, FaultInForce, Field, RealNemesis } from './nemesis.ts'
import { drawTargets, nodeNames, TARGETS } from './targets.ts'

const EXIT_MS = 5000
const GRACE_MS = 3000
/** A stopped thread stops when it is next given a processor. */
const STOPS_MS = 3000
const STOPS_POLL_MS = 20
/** How long what a node has started may outlive it. */
const DOWN_MS = 3000
const DOWN_POLL_MS = 50

/** Processes of a node that have left its session, where no signal of ours reaches them. */
export function strays({ environment }: Field, node: RealNode): number[] {
  if (!node.machine.isHere) return [] // its machine is asked for processes of the session only
  const known = new Set(node.process.pids)
  const all = processesWith(`${NODE_VARIABLE}=${environment[RUN_VARIABLE]}/${node.name}`)
  return all.filter((pid) => !known.has(pid) && threadStates(pid).some((state) => !'ZX'.includes(state)))
}

interface Ending {
  readonly node: RealNode
  readonly pid: number
  readonly exit: Exit | null
}

type Way = 'kill' | 'stop'

/** The signal of an orderly stop is the system's own. */
function signalOf(node: RealNode, way: Way): NodeJS.Signals {
  return way === 'kill' ? 'SIGKILL' : (node.placement.definition.system?.stopSignal ?? 'SIGTERM')
}

/** Sends a signal to the processes of a node and waits for the exit of the one that leads. */
export async function endNode(field: Field, node: RealNode, way: Way): Promise<Ending | null> {
  const signal = signalOf(node, way)
  const pid = node.process.id?.pid
  if (!node.process.alive || pid === undefined) return null
  node.ordered = true
  node.down = true
  const exit = node.process.exit(signal === 'SIGKILL' ? EXIT_MS : GRACE_MS)
  if (!(way === 'stop' && field.cluster.stopByCommand(node)) && !node.process.signal(signal)) return null
  let seen = await exit
  if (seen === null && signal !== 'SIGKILL') {
    const killed = node.process.exit(EXIT_MS)
    node.process.signal('SIGKILL')
    seen = await killed
  }
  return { node, pid, exit: (await isDown(field, node)) ? seen : null }
}

/** Whether the whole node went down. Processes that end because their parent did take a moment. */
async function isDown(field: Field, node: RealNode): Promise<boolean> {
  for (const untilMs = performance.now() + DOWN_MS; ;) {
    const lives = node.process.states().some((state) => !'ZX'.includes(state))
    if (!lives && strays(field, node).length === 0) return true
    if (performance.now() >= untilMs) return false
    await new Promise((resolve) => setTimeout(resolve, DOWN_POLL_MS))
  }
}

/** What the kernel said about the ends; null unless every victim ended. */
function exitsSeen(endings: readonly (Ending | null)[]): string | null {
  const said = endings.map((ending) => {
    if (ending === null || ending.exit === null) return null
    const { code, signal } = ending.exit
    return `${ending.node.name} (process ${ending.pid}) ended by ${signal ?? `code ${code}`}`
  })
  return said.length === 0 || said.includes(null) ? null : said.join('; ')
}

/** Only the exit that the signal makes proves that it was the signal. */
function killsSeen(endings: readonly (Ending | null)[]): string | null {
  return endings.every((ending) => ending?.exit?.signal === 'SIGKILL') ? exitsSeen(endings) : null
}

export async function startAgain(cluster: Cluster, nodes: readonly RealNode[]): Promise<string | null> {
  const failed: string[] = []
  for (const node of nodes) {
    try {
      await cluster.boot(node)
    } catch (error) {
      failed.push((error as Error).message)
    }
  }
  return failed.length === 0 ? null : failed.join('; ')
}

/** Ends some nodes; the end of the fault starts them again. */
function downing(name: Way, text: string): RealNemesis {
  return {
    name,
    family: 'reboot',
    group: 'process',
    text,
    variants: TARGETS,
    async begin(field: Field, variant: string): Promise<FaultInForce | null> {
      const victims = await drawTargets(field, variant)
      if (victims.length === 0) return null
      const endings = await Promise.all(victims.map((node) => endNode(field, node, name)))
      const victim = name === 'kill' ? killsSeen(endings) : exitsSeen(endings)
      return {
        text: `${name} ${nodeNames(victims)}`,
        targets: victims.map((node) => node.name),
        async end(): Promise<Evidence> {
          const failed = await startAgain(field.cluster, victims)
          const sent = `${signalOf(victims[0], name)} to the processes of ${nodeNames(victims)}`
          return { injector: failed === null ? sent : `${sent}; not started again: ${failed}`, victim }
        },
      }
    },
  }
}

export const kill = downing('kill', 'nodes are killed (SIGKILL) and started again later')
export const stop = downing(
  'stop',
  'nodes are stopped in an orderly way (SIGTERM, SIGKILL after 3 s) and started again later',
)

/** One node after the other goes down and comes back at once. */
export const rollingRestart: RealNemesis = {
  name: 'rolling-restart',
  family: 'rolling-restart',
  group: 'process',
  text: 'every node in turn is stopped, started again, and waited for',
  variants: ['stop', 'kill'],
  async begin(field, variant) {
    const order = field.rng.shuffle(field.living)
    if (order.length === 0) return null
    const way = variant === 'kill' ? 'kill' : 'stop'
    const endings: (Ending | null)[] = []
    const failed: string[] = []
    for (const node of order) {
      endings.push(await endNode(field, node, way))
      const wrong = await startAgain(field.cluster, [node])
      if (wrong !== null) failed.push(wrong)
      else if (!(await field.cluster.serves(node, 10_000))) failed.push(`${node.name} does not serve again`)
    }
    const victim = exitsSeen(endings)
    const injector = [`${way} and a start for ${nodeNames(order)}, one after the other`, ...failed].join('; ')
    return {
      text: `rolling restart of ${nodeNames(order)}`,
      targets: order.map((node) => node.name),
      end: async () => ({ injector, victim }),
    }
  },
}

/** Everything goes down at once and comes back at once. */
export const massRestart: RealNemesis = {
  name: 'mass-restart',
  family: 'mass-restart',
  group: 'process',
  text: 'all nodes are killed, or stopped, at once and started again together',
  variants: ['kill', 'stop'],
  async begin(field, variant) {
    const victims = field.living
    if (victims.length === 0) return null
    const way = variant === 'stop' ? 'stop' : 'kill'
    const endings = await Promise.all(victims.map((node) => endNode(field, node, way)))
    const victim = way === 'kill' ? killsSeen(endings) : exitsSeen(endings)
    const failed = await startAgain(field.cluster, victims)
    const injector = `${signalOf(victims[0], way)} to all nodes at once, and a start of all`
    return {
      text: `mass restart of ${nodeNames(victims)}`,
      targets: victims.map((node) => node.name),
      end: async () => ({ injector: failed === null ? injector : `${injector}; ${failed}`, victim }),
    }
  },
}

export const pause: RealNemesis = {
  name: 'pause',
  family: 'pause',
  group: 'process',
  text: 'nodes stand still (SIGSTOP) and go on later (SIGCONT)',
  variants: TARGETS,
  async begin(field, variant) {
    const victims = await drawTargets(field, variant)
    if (victims.length === 0) return null
    const sent = victims.filter(({ process }) => process.signal('SIGSTOP'))
    const pids = victims.map(({ process }) => process.id?.pid)
    await untilStopped(sent)
    const first = victims.map((node) => statesOf(field, node))
    return {
      text: `pause ${nodeNames(victims)}`,
      targets: victims.map((node) => node.name),
      async end() {
        const last = victims.map((node) => statesOf(field, node))
        for (const [index, node] of victims.entries())
          if (node.process.id?.pid === pids[index]) node.process.signal('SIGCONT')
        const stood = victims.every(
          ({ process }, index) =>
            areStopped(first[index]) &&
            (areStopped(last[index]) || process.id?.pid !== pids[index] || !process.alive),
        )
        const threads = first.reduce((sum, states) => sum + states.length, 0)
        return {
          injector: `SIGSTOP to the processes of ${nodeNames(sent)}, then SIGCONT`,
          victim: stood
            ? `all ${threads} threads of ${nodeNames(victims)} were stopped (state T), at both ends`
            : null,
        }
      },
    }
  },
}

/** Waits until the threads that a signal has reached stand still, for some time at most. */
async function untilStopped(nodes: readonly RealNode[]): Promise<void> {
  const untilMs = performance.now() + STOPS_MS
  while (!nodes.every(({ process }) => areStopped(process.states())) && performance.now() < untilMs)
    await new Promise((resolve) => setTimeout(resolve, STOPS_POLL_MS))
}

/** Of all threads, also of processes that no signal reached. */
function statesOf(field: Field, node: RealNode): string[] {
  return [...node.process.states(), ...strays(field, node).flatMap(threadStates)]
}

/** `t` is `T` where a disk fault traces the process. */
function areStopped(states: readonly string[]): boolean {
  return states.length > 0 && states.every((state) => 'TtZ'.includes(state))
}
