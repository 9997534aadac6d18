import { describe, expect, it } from 'vitest'
import type { Raft } from './core.js'
import { TestCluster } from './core.test-support.ts'

const put = (key: string, value: unknown) => ({ op: 'put', key, value })
const get = (key: string) => ({ type: 'query', query: { op: 'get', key } }) as const

function withSession(cluster: TestCluster): (command: unknown, sequence?: number) => any {
  const { session } = cluster.get({ type: 'register' })
  let last = 0
  return (command, sequence = ++last) => cluster.get({ type: 'command', session, sequence, command })
}

const others = (cluster: TestCluster, id: string): string[] =>
  [...cluster.cores.keys()].filter((each) => each !== id)

/** Lets a server win, one message at a time: when it leads, its first entry is still on its way. */
function electByHand(cluster: TestCluster, id: string): Raft {
  for (const core of cluster.cores.values()) core.leaderHeardMs = -Infinity
  cluster.now += 1000
  cluster.give(id, { type: 'tick' })
  while (cluster.core(id).role !== 'leader') cluster.deliverOne()
  return cluster.core(id)
}

describe('elections', () => {
  it('give one leader, and a command reaches every server', () => {
    const cluster = new TestCluster(['a', 'b', 'c'])
    const order = withSession(cluster)
    expect(order(put('k', 1))).toEqual({ ok: true })
    expect(cluster.get(get('k'))).toEqual({ found: true, value: 1 })
    cluster.run(100)
    const commits = [...cluster.cores.values()].map(({ commit }) => commit)
    expect(commits).toEqual([3, 3, 3])
  })

  it('are won alone in a cluster of one', () => {
    const order = withSession(new TestCluster(['a']))
    expect(order(put('k', 1))).toEqual({ ok: true })
  })

  it('are not caused by a server that comes back from a partition', () => {
    const cluster = new TestCluster(['a', 'b', 'c'])
    const leader = cluster.electLeader()
    const [lonely] = others(cluster, leader.id)
    cluster.cut(lonely)
    cluster.run(2000)
    expect(cluster.core(lonely).term).toBe(leader.term)
    cluster.heal()
    cluster.run(500)
    expect(cluster.leader).toBe(leader)
    expect(cluster.seen.filter(({ name }) => name === 'elected')).toHaveLength(1)
  })

  it('happen when a leader is cut off, which steps down by itself and forgets what it could not commit', () => {
    const cluster = new TestCluster(['a', 'b', 'c'])
    const old = cluster.electLeader()
    cluster.cut(old.id)
    const answer = cluster.ask(old.id, { type: 'register' })
    cluster.until(() => old.role !== 'leader')
    expect(answer()!.refusal!.code).toBe('leadership-lost')
    cluster.until(() => cluster.leader !== undefined)
    cluster.heal()
    withSession(cluster)(put('k', 2))
    cluster.run(100)
    expect(cluster.seen.filter(({ id, name }) => id === old.id && name === 'truncate')).toHaveLength(1)
    expect(old.commit).toBe(cluster.leader!.commit)
  })

  it('remember a vote over a restart', () => {
    const cluster = new TestCluster(['a', 'b', 'c'])
    const ask = (from: string): void => {
      const message = { type: 'vote', term: 7, transfer: true, lastIndex: 9, lastTerm: 6 } as const
      cluster.give('c', { type: 'message', from, message })
    }
    ask('a')
    cluster.restart('c')
    ask('b')
    expect(cluster.core('c').vote).toBe('a')
    expect(cluster.disk('c')).toMatchObject({ term: 7, vote: 'a' })
  })

  it('are decided by handing over, and commands wait meanwhile', () => {
    const cluster = new TestCluster(['a', 'b', 'c'])
    const old = cluster.electLeader()
    const [to] = others(cluster, old.id)
    const answer = cluster.ask(old.id, { type: 'transfer', to })
    expect(cluster.ask(old.id, { type: 'register' })()!.refusal!.code).toBe('transferring')
    cluster.run(5)
    expect(answer()!.value).toEqual({ successor: to })
    expect(cluster.leader!.id).toBe(to)
  })

  it('go on under the old leader when the successor does not answer', () => {
    const cluster = new TestCluster(['a', 'b', 'c'])
    const leader = cluster.electLeader()
    const [to] = others(cluster, leader.id)
    cluster.cut(to)
    withSession(cluster)(put('k', 1)) // the successor lacks it
    const answer = cluster.ask(leader.id, { type: 'transfer', to })
    cluster.until(() => answer() !== undefined)
    expect(answer()!.refusal!.code).toBe('transfer-timeout')
    expect(cluster.get({ type: 'register' })).toHaveProperty('session')
  })
})

describe('commitment', () => {
  it('of an entry of an older term waits for one of the leader’s own (the paper’s figure 8)', () => {
    const cluster = new TestCluster(['a', 'b', 'c', 'd', 'e'])
    const old = cluster.electLeader()
    const [first, second, ...rest] = others(cluster, old.id)
    const { lastIndex } = old.log
    cluster.cut(...rest, second)
    cluster.ask(old.id, { type: 'register' })
    cluster.deliver() // it is on two disks of five
    cluster.heal()
    cluster.cut(old.id)
    const leader = electByHand(cluster, first)
    const { term, commit } = leader
    cluster.dropAll()
    // The old entry reaches a majority before the first entry of the new term does.
    const entries = [leader.log.at(lastIndex + 1)!]
    const prevTerm = leader.log.termAt(lastIndex)!
    for (const id of [second, rest[0]]) {
      const message = {
        type: 'append',
        term,
        prevIndex: lastIndex,
        prevTerm,
        entries,
        commit,
        round: 1,
      } as const
      cluster.give(id, { type: 'message', from: first, message })
    }
    cluster.deliverOne()
    cluster.deliverOne()
    expect([second, rest[0]].map((id) => leader.progress.get(id)!.match)).toEqual([
      lastIndex + 1,
      lastIndex + 1,
    ])
    expect(leader.commit).toBe(commit)
    cluster.run(50)
    expect(leader.commit).toBeGreaterThan(lastIndex + 1)
  })

  it('needs a majority', () => {
    const cluster = new TestCluster(['a', 'b', 'c'])
    const leader = cluster.electLeader()
    const { commit } = leader
    cluster.cut(...others(cluster, leader.id))
    cluster.ask(leader.id, { type: 'register' })
    cluster.run(50)
    expect(leader.commit).toBe(commit)
  })
})

describe('reads', () => {
  it('are not served by a leader that was replaced', () => {
    const cluster = new TestCluster(['a', 'b', 'c'])
    withSession(cluster)(put('k', 'old'))
    const old = cluster.leader!
    cluster.cut(old.id)
    const answer = cluster.ask(old.id, get('k'))
    cluster.until(() => old.role !== 'leader')
    expect(answer()!.refusal!.code).toBe('leadership-lost')
  })

  it('wait until a new leader has committed an entry of its term', () => {
    const cluster = new TestCluster(['a', 'b', 'c'])
    withSession(cluster)(put('k', 1))
    const old = cluster.leader!
    const [next] = others(cluster, old.id)
    cluster.cut(old.id)
    electByHand(cluster, next)
    const answer = cluster.ask(next, get('k'))
    expect(cluster.seen.at(-1)).toMatchObject({ id: next, name: 'read-waits' })
    expect(answer()).toBeUndefined()
    cluster.run(50)
    expect(answer()!.value).toEqual({ found: true, value: 1 })
  })

  it('are refused by followers, with the leader’s address', () => {
    const cluster = new TestCluster(['a', 'b', 'c'])
    const leader = cluster.electLeader()
    cluster.run(50)
    const [follower] = others(cluster, leader.id)
    const { refusal } = cluster.ask(follower, get('k'))()!
    expect(refusal).toMatchObject({ code: 'not-leader', leader: { id: leader.id, api: `${leader.id}:2` } })
  })
})

describe('sessions', () => {
  it('give the first answer to a command that comes twice', () => {
    const cluster = new TestCluster(['a', 'b', 'c'])
    const order = withSession(cluster)
    const add = { op: 'append', key: 'k', value: 'x' }
    order(add, 1)
    expect(order(add, 1)).toEqual({ ok: true })
    expect(cluster.get(get('k')).value).toBe('x')
    order(add, 2)
    expect(order(add, 1)).toMatchObject({ code: 'stale-sequence' })
  })

  it('are known to a server that got them in a snapshot', () => {
    const cluster = new TestCluster(['a', 'b', 'c'], { snapshotEntries: 5, chunkChars: 10 })
    const order = withSession(cluster)
    const late = others(cluster, cluster.leader!.id)[0]
    cluster.cut(late)
    for (let i = 1; i <= 20; i++) order({ op: 'append', key: 'k', value: 'x' }, i)
    cluster.heal()
    cluster.until(() => cluster.core(late).commit === cluster.leader!.commit)
    expect(cluster.seen.some(({ id, name }) => id === late && name === 'snapshot-installed')).toBe(true)
    cluster.get({ type: 'transfer', to: late })
    cluster.until(() => cluster.leader!.id === late)
    order({ op: 'append', key: 'k', value: 'x' }, 20)
    expect(cluster.get(get('k')).value).toBe('x'.repeat(20))
  })

  it('end after their time to live, by cluster time', () => {
    const cluster = new TestCluster(['a', 'b', 'c'], { sessionTtlMs: 500 })
    const order = withSession(cluster)
    order(put('k', 1))
    cluster.run(400)
    expect(order(put('k', 2))).toEqual({ ok: true })
    cluster.run(600)
    expect(order(put('k', 3))).toMatchObject({ code: 'session-expired' })
  })
})

describe('snapshots', () => {
  it('replace the log on the disk, and a restart begins with them', () => {
    const cluster = new TestCluster(['a', 'b', 'c'], { snapshotEntries: 4 })
    const order = withSession(cluster)
    for (let i = 0; i < 10; i++) order(put('k', i))
    cluster.run(50)
    const { id } = cluster.leader!
    expect(cluster.disk(id).snapshot.index).toBeGreaterThanOrEqual(8)
    expect(cluster.disk(id).entries.length).toBeLessThan(4)
    for (const each of cluster.cores.keys()) cluster.restart(each)
    expect(cluster.get(get('k')).value).toBe(9)
  })
})

describe('members', () => {
  const member = (id: string) => ({ peer: `${id}:1`, api: `${id}:2` })

  it('are added after they have caught up', () => {
    const cluster = new TestCluster(['a', 'b', 'c'], {}, ['d'])
    const order = withSession(cluster)
    for (let i = 0; i < 10; i++) order(put('k', i))
    expect(Object.keys(cluster.get({ type: 'add', id: 'd', member: member('d') }).members)).toContain('d')
    cluster.run(50)
    expect(cluster.core('d').commit).toBe(cluster.leader!.commit)
    expect(Object.keys(cluster.core('d').members)).toEqual(['a', 'b', 'c', 'd'])
  })

  it('are not added when they do not answer', () => {
    const cluster = new TestCluster(['a', 'b', 'c'])
    const answer = cluster.get({ type: 'add', id: 'd', member: member('d') })
    expect(answer).toMatchObject({ code: 'catch-up-timeout' })
    expect(Object.keys(cluster.leader!.members)).toEqual(['a', 'b', 'c'])
  })

  it('change one at a time', () => {
    const cluster = new TestCluster(['a', 'b', 'c', 'd'])
    const leader = cluster.electLeader()
    const [first, second] = others(cluster, leader.id)
    cluster.ask(leader.id, { type: 'remove', id: first })
    const answer = cluster.ask(leader.id, { type: 'remove', id: second })
    expect(answer()!.refusal!.code).toBe('change-pending')
  })

  it('let a leader go when its own removal is committed, and do not hear from it again', () => {
    const cluster = new TestCluster(['a', 'b', 'c'])
    const old = cluster.electLeader()
    cluster.get({ type: 'remove', id: old.id })
    cluster.until(() => old.role === 'follower')
    cluster.until(() => cluster.leader !== undefined)
    const { term } = cluster.electLeader()
    cluster.run(3000)
    expect(cluster.leader!.term).toBe(term)
    expect(old.role).toBe('follower')
    expect(withSession(cluster)(put('k', 1))).toEqual({ ok: true })
  })

  it('are the old ones again when the entry that changed them is truncated', () => {
    const cluster = new TestCluster(['a', 'b', 'c'])
    const old = cluster.electLeader()
    cluster.cut(old.id)
    const [gone] = others(cluster, old.id)
    cluster.ask(old.id, { type: 'remove', id: gone })
    expect(Object.keys(old.members)).not.toContain(gone)
    cluster.until(() => cluster.leader !== undefined && cluster.leader !== old)
    cluster.heal()
    cluster.run(500)
    expect(Object.keys(old.members)).toEqual(['a', 'b', 'c'])
  })
})
