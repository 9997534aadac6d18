/**
 * What is asked of the cluster: clients give messages to any member and read what members have heard. At the end every
 * member must know every other as alive and have heard the same messages.
 */
import { event, fail, sometimes, type Workload } from 'wavetank'
import { checkRounds } from './gossip-invariants.ts'

const HTTP = 8080
/** How often the cluster was not at rest when it was asked. */
let polls = 0

interface MemberView {
  readonly id: string
  readonly status: string
}

export interface Message {
  readonly id: string
  readonly data: unknown
}

async function ask<T>(host: string, path: string, body?: unknown): Promise<T> {
  const response = await fetch(`http://${host}:${HTTP}${path}`, {
    ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(2_000),
  })
  if (!response.ok) throw fail(`${response.status}`)
  return (await response.json()) as T
}

/** Whether all members hold all who run for alive, and no other, and have heard the same. */
async function converged(hosts: readonly string[]): Promise<boolean> {
  try {
    const running: string[] = []
    const views = new Set<string>()
    const heard = new Set<string>()
    for (const host of hosts) {
      const { id, members } = await ask<{ id: string; members: MemberView[] }>(host, '/members')
      running.push(id)
      const here = members.filter(({ status }) => status === 'alive' || status === 'suspect')
      if (here.some(({ status }) => status === 'suspect')) return false
      views.add(idsOf(here))
      heard.add(idsOf(await ask<Message[]>(host, '/messages')))
    }
    return heard.size <= 1 && views.size === 1 && views.has(running.sort().join(' '))
  } catch {
    return false // a member is still starting
  }
}

function idsOf(list: readonly { readonly id: string }[]): string {
  return list
    .map(({ id }) => id)
    .sort()
    .join(' ')
}

export const workload: Workload<null> = {
  clients: [1, 2],
  operations: [4, 12],
  spanMs: 20_000,
  open: () => null,

  async run({ client, index, hosts, rng, operation }) {
    const host = rng.pick(hosts.member)
    if (rng.weighted({ spread: 3, read: 1 }) === 'spread')
      await operation('spread', { input: `${client}.${index}` }, () => {
        return ask<Message>(host, '/messages', `${client}.${index}`)
      })
    else await operation('read', { key: host }, () => ask<Message[]>(host, '/messages').then(idsOf))
  },

  async settled({ hosts }) {
    if (await converged(hosts.member)) return true
    // Members that hold each other for dead say nothing more. Rules look when something is published, so this is.
    if (++polls % 50 === 0) event('members disagree', { polls })
    return false
  },

  async final({ hosts, client, operation }) {
    if (client !== 0) return
    for (const host of hosts.member)
      await operation('heard', { key: host }, () => ask<Message[]>(host, '/messages').then(idsOf))
  },

  check({ history, hosts }) {
    checkRounds(hosts.member.length)
    const heard = [...history.operations()].filter(({ f, type }) => f === 'heard' && type === 'ok')
    const different = new Set(heard.map(({ output }) => output))
    sometimes(
      heard.some(({ output }) => output !== ''),
      'a message reached the end of the run',
    )
    if (different.size > 1)
      throw new Error(`members have heard different messages: ${[...different].join(' | ')}`)
  },
}
