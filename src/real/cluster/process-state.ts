/** What Linux says about a process, from /proc: the victim's side of process faults, and who is who after a restart. */
import { readdirSync, readFileSync } from 'node:fs'

/** A process, told from a later one with the same number by the time of its start. */
export interface ProcessId {
  readonly pid: number
  /** Clock ticks since the machine booted. */
  readonly startTicks: number
}

interface Stat {
  readonly state: string
  readonly parent: number
  readonly group: number
  readonly session: number
  readonly startTicks: number
}

/** Null if there is no such process. */
function statOf(pid: number | string): Stat | null {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'latin1')
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ') // the name may have spaces
    return {
      state: fields[0],
      parent: Number(fields[1]),
      group: Number(fields[2]),
      session: Number(fields[3]),
      startTicks: Number(fields[19]),
    }
  } catch {
    return null
  }
}

export function processId(pid: number): ProcessId | null {
  const stat = statOf(pid)
  return stat === null ? null : { pid, startTicks: stat.startTicks }
}

/** Whether exactly this process lives: it exists, has not been replaced, and is no zombie. */
export function isAlive({ pid, startTicks }: ProcessId): boolean {
  const stat = statOf(pid)
  return stat !== null && stat.startTicks === startTicks && stat.state !== 'Z' && stat.state !== 'X'
}

/** A process among its relatives. */
export interface Relative {
  readonly pid: number
  readonly parent: number
  readonly session: number
}

/**
 * The processes of nodes, each with the node's first process. They are in its session, or one of them has started them:
 * the children of PostgreSQL lead sessions of their own. What has left the session and has lost its parent, as a daemon
 * has, is none of them.
 */
export function familiesOf(
  leaders: ReadonlySet<number>,
  all: readonly Relative[],
): [pid: number, leader: number][] {
  const byPid = new Map(all.map((each) => [each.pid, each]))
  const leaderOf = (pid: number): number | null => {
    for (let each = byPid.get(pid); each !== undefined; each = byPid.get(each.parent)) {
      if (leaders.has(each.session)) return each.session
      if (each.parent === each.pid) return null
    }
    return null
  }
  return all.flatMap(({ pid }): [number, number][] => {
    const leader = leaderOf(pid)
    return leader === null ? [] : [[pid, leader]]
  })
}

/** All processes of some nodes of this machine, with the first process of their node. */
export function membersOf(leaders: ReadonlySet<number>): [pid: number, leader: number][] {
  const all = readdirSync('/proc').flatMap((name): Relative[] => {
    const stat = /^\d+$/.test(name) ? statOf(name) : null
    return stat === null ? [] : [{ pid: Number(name), ...stat }]
  })
  return familiesOf(leaders, all)
}

/** Processes of a node that are not in its first process's group: a signal to the group does not reach them. */
export function apartFrom(leader: number): number[] {
  return processesOf(new Set([leader])).filter((pid) => statOf(pid)?.group !== leader)
}

export function processesOf(leaders: ReadonlySet<number>): number[] {
  return membersOf(leaders).map(([pid]) => pid)
}

/** The states of all threads of a process: `T` is stopped. */
export function threadStates(pid: number): string[] {
  try {
    return readdirSync(`/proc/${pid}/task`).map((task) => statOf(`${pid}/task/${task}`)?.state ?? 'X')
  } catch {
    return []
  }
}

/**
 * How long the main thread of a process has had nothing to do in its life: neither at work nor waiting for a processor. So
 * a busy machine does not age it. Null where the kernel does not say.
 */
export function restedMs(pid: number, livedMs: number): number | null {
  try {
    const [ranNs, waitedNs] = readFileSync(`/proc/${pid}/schedstat`, 'latin1').split(' ').map(Number)
    return livedMs - (ranNs + waitedNs) / 1e6
  } catch {
    return null
  }
}

/** Processes whose environment has this line. */
export function processesWith(variable: string): number[] {
  return readdirSync('/proc').flatMap((name) => {
    if (!/^\d+$/.test(name)) return []
    try {
      const found = readFileSync(`/proc/${name}/environ`, 'latin1').split('\0').includes(variable)
      return found ? [Number(name)] : []
    } catch {
      return [] // gone, or another user's
    }
  })
}
