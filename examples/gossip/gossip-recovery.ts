/**
 * What must be true some time after a storm: those who run are known to be alive, those who are gone are known to be
 * gone, and a message that one member has all have. The time allowed is far beyond what a run needs (see the README), so
 * what is late is lost. Also the situations that a storm should bring about.
 */
import { situation, type Invariant, type PublishedData } from 'wavetank'
import { lineOf, type MemberLine } from './gossip-lines.ts'

/** After the last fault. Anti-entropy asks one dead member every 10 s; a cluster has at most 8. */
const RECOVERY_MS = 120_000

/** What one process has printed since its boot. */
interface View {
  id: string
  readonly beliefs: Map<string, MemberLine['status']>
  readonly messages: Set<string>
}

const views = new Map<string, View>()
let healedMs = Infinity

export const ALIVE = 'those who run are held for alive in time'
export const GONE = 'those who are gone are held for dead in time'
export const MESSAGES = 'messages reach all in time'

type Recovery = typeof ALIVE | typeof GONE | typeof MESSAGES

function findLate(): Map<Recovery, string> {
  const late = new Map<Recovery, string>()
  const running = new Set([...views.values()].map(({ id }) => id))
  const messages = new Set([...views.values()].flatMap((view) => [...view.messages]))
  const after = `${RECOVERY_MS / 1000} s after the storm`
  for (const { id: observer, beliefs, messages: heard } of views.values()) {
    for (const id of running)
      if (beliefs.get(id) !== 'alive')
        late.set(ALIVE, `${observer} holds ${id} for ${beliefs.get(id) ?? 'unknown'} ${after}`)
    for (const [id, status] of beliefs)
      if (!running.has(id) && (status === 'alive' || status === 'suspect'))
        late.set(GONE, `${observer} holds ${id} for ${status} ${after}; it has long gone`)
    for (const message of messages)
      if (!heard.has(message)) late.set(MESSAGES, `${observer} has not heard ${message} ${after}`)
  }
  return late
}

export function recoveryRules(count: () => number): Record<Recovery, Invariant> {
  let late = new Map<Recovery, string>()
  const judge =
    (rule: Recovery): Invariant =>
    ({ nowMs }) => {
      if (nowMs > healedMs + RECOVERY_MS && late.size === 0) late = findLate()
      return late.get(rule) ?? true
    }
  const alive = judge(ALIVE)
  return {
    [ALIVE]: (context) => {
      for (const { name, source, timeUs, data } of context.events) {
        if (name === 'phase' && data === 'settle') healedMs = timeUs / 1000
        if (name === 'process') noteBoot(source, data as PublishedData['process'], timeUs / 1000, count())
        if (name === 'stdout') noteLine(source, data as string)
      }
      return alive(context)
    },
    [GONE]: judge(GONE),
    [MESSAGES]: judge(MESSAGES),
  }
}

function noteLine(source: string, text: string): void {
  const line = lineOf(text)
  const view = views.get(source)
  if (line === null || view === undefined) return
  view.id = line.observer
  if (line.type === 'member') view.beliefs.set(line.id, line.status)
  if (line.type === 'deliver') view.messages.add(line.id)
}

/** Process → when it booted last. */
const boots = new Map<string, number>()
const MASS_RESTART_MS = 3_000
/** No constant at its call: only a run in which a member starts again declares it. */
const MASS_RESTART = 'more than half of the members start again within 3 s'

function noteBoot(
  source: string,
  { change, boot }: PublishedData['process'],
  nowMs: number,
  members: number,
): void {
  if (change !== 'boot') return
  views.set(source, { id: source, beliefs: new Map(), messages: new Set() })
  if (boot < 2) return
  boots.set(source, nowMs)
  const together = [...boots.values()].filter((atMs) => nowMs - atMs < MASS_RESTART_MS).length
  situation(MASS_RESTART, together > members / 2)
}
