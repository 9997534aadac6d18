/**
 * How the processes of one run ended, counted from its events. A fault orders an exit, or a process ends by itself: with
 * code 0 it has finished, otherwise it has crashed.
 *
 * A crash is *unprovoked* if no fault can be its reason: no fault has begun yet in this run, or the faults are over and
 * the process keeps crashing. A crash amid faults may be what the author wants (a server that ends when its disk fails).
 */
import type { EventLog, ProcessEvent } from '../authoring/event-log.ts'
import { countCrashes } from '../campaign/reasons.ts'
import type { CrashCount, ExitCounts } from '../campaign/result.ts'
import { exitMessage, wordsIn } from './last-words.ts'

export interface ExitQuestion {
  readonly events: EventLog
  /** Whether `buggify` fired, which leaves no event: every crash after the window opened may be its doing. */
  readonly buggified: boolean
  /** The processes that the simulation can do without: `onExit: 'ignore'`. */
  readonly dispensable: ReadonlySet<string>
}

/** The first crashes after the faults may still be their doing; from this one on, the process does not recover. */
const CRASH_LOOP = 3

export function exitsIn({ events, buggified, dispensable }: ExitQuestion): ExitCounts {
  const running = new Set<string>()
  const said = new Map<string, string[]>()
  const crashesAfter = new Map<string, number>()
  const crashes: CrashCount[] = []
  const counts = { ordered: 0, finished: 0, crashed: 0, restarts: 0 }
  let faults: 'none' | 'begun' | 'over' = 'none'
  const isUnprovoked = (process: string): boolean => {
    if (dispensable.has(process)) return false
    if (faults !== 'over') return faults === 'none'
    const times = (crashesAfter.get(process) ?? 0) + 1
    crashesAfter.set(process, times)
    return times >= CRASH_LOOP
  }
  const take = ({ process, change, boot, code, signal, ordered }: ProcessEvent): void => {
    if (change === 'boot') {
      if (running.has(process)) counts.ordered++ // a power loss ends a process without an exit
      running.add(process)
      said.set(process, [])
      if (boot > 1) counts.restarts++
      return
    }
    running.delete(process)
    if (ordered) counts.ordered++
    else if (code === 0) counts.finished++
    else {
      counts.crashed++
      const message = exitMessage(process, { code, signal }, wordsIn(said.get(process) ?? []))
      crashes.push({ message, times: 1, unprovoked: isUnprovoked(process) ? 1 : 0 })
    }
  }
  for (const { name, source, data } of events.entries()) {
    if (faults === 'none' && (name === 'fault' || (name === 'phase' && data === 'chaos' && buggified)))
      faults = 'begun'
    else if (name === 'phase' && data === 'heal' && faults === 'begun') faults = 'over'
    else if (name === 'stderr') said.get(source)?.push(String(data))
    else if (name === 'process') take(data as ProcessEvent)
  }
  return { ...counts, crashes: countCrashes(crashes) }
}
