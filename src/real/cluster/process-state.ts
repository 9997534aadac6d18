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

/** All processes of some sessions, with their session: a node is the leader of one, and its children belong to it. */
export function membersOf(sessions: ReadonlySet<number>): [pid: number, session: number][] {
  return readdirSync('/proc').flatMap((name): [number, number][] => {
    if (!/^\d+$/.test(name)) return []
    const session = statOf(name)?.session ?? -1
    return sessions.has(session) ? [[Number(name), session]] : []
  })
}

/** Processes of a leader's session that have left its group: a signal to the group does not reach them. */
export function apartFrom(leader: number): number[] {
  return processesOf(new Set([leader])).filter((pid) => statOf(pid)?.group !== leader)
}

export function processesOf(sessions: ReadonlySet<number>): number[] {
  return membersOf(sessions).map(([pid]) => pid)
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
