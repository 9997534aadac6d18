import type * as Dgram from 'node:dgram'
import { describe, expect, it } from 'vitest'
import type { ProcessContext } from '../../node/index.ts'
import type { ProcessIdentity, SimulationDefinition } from '../authoring/definition.ts'
import { event } from '../authoring/event-log.ts'
import type { AimedFault } from '../authoring/script.ts'
import type { RunRecord } from './run.ts'
import { inlineHost, runInline } from './run.test-support.ts'
import { runSeed } from './run.ts'

/** Three processes that tick and send each other datagrams; the second says once that it leads. */
function node({ name, index, peers }: ProcessIdentity, context: ProcessContext): void {
  const socket = (context.require('node:dgram') as typeof Dgram).createSocket('udp4')
  socket.on('error', () => {})
  socket.bind(5000)
  context.globalThis.setInterval(() => {
    event('tick', name)
    for (const peer of peers) socket.send('.', 5000, peer, () => {})
  }, 50)
  if (index === 1) context.globalThis.setTimeout(() => event('leads', name), 600)
}

function scripted(
  script: readonly AimedFault[],
  more: Partial<SimulationDefinition> = {},
): SimulationDefinition {
  return {
    processes: {
      n: { count: 3, run: node, tags: ({ index }) => (index === 2 ? ['spare'] : []), onExit: 'restart' },
    },
    workload: {
      clients: 1,
      operations: 1,
      spanMs: 0,
      run: ({ operation }) =>
        operation('wait', () => new Promise((resolve) => void setTimeout(resolve, 3000))),
    },
    invariants: { 'all is well': () => true },
    roles: { leader: ({ events }) => (events.last('leads')?.data as string | undefined) ?? null },
    script,
    ...more,
  }
}

async function run(script: readonly AimedFault[], more?: Partial<SimulationDefinition>): Promise<RunRecord> {
  return runInline(scripted(script, more))
}

/** When a fault began and ended, in milliseconds after the chaos window opened. */
function spans({ faults, events }: RunRecord): { text: string; beginMs: number; endMs: number }[] {
  const opened = events.find(({ name, data }) => name === 'phase' && data === 'chaos')!.timeUs
  return faults.map(({ text, beginUs, endUs }) => ({
    text,
    beginMs: Math.round((beginUs - opened) / 1000),
    endMs: Math.round((endUs! - opened) / 1000),
  }))
}

describe('an aimed fault', () => {
  it('strikes a process by its name at a moment, for a while, and has its evidence', async () => {
    const record = await run([{ fault: 'pause', target: 'n1', atMs: 200, forMs: 300 }])
    expect(record.result.failure).toBeNull()
    expect(spans(record)).toEqual([{ text: 'pause n1', beginMs: 200, endMs: 500 }])
    expect(record.result.faults).toMatchObject([{ family: 'pause', injected: 1, landed: 1 }])
  })

  it('strikes who has a role when an event comes, and lasts until the window closes', async () => {
    const record = await run([
      {
        fault: 'partition',
        target: { role: 'leader' },
        after: 'leads',
        with: { shape: 'isolate', mode: 'drop' },
      },
    ])
    const [{ text, beginMs, endMs }] = spans(record)
    expect(text).toBe('partition n2 | workload n1 n3')
    expect(beginMs).toBeGreaterThan(0)
    expect(endMs).toBe(2000) // the window of sunny
    expect(record.result.faults).toMatchObject([{ family: 'partition', landed: 1, kinds: { isolate: 1 } }])
  })

  it('strikes the nth event, by a function, after a delay, at a tag', async () => {
    const record = await run([
      {
        fault: 'out-of-memory',
        target: { tag: 'spare' },
        after: ({ name, data }) => name === 'tick' && data === 'n1',
        nth: 3,
        delayMs: 7,
        forMs: 10,
      },
    ])
    const ticks = record.events.filter(({ name, data }) => name === 'tick' && data === 'n1')
    const opened = record.events.find(({ name, data }) => name === 'phase' && data === 'chaos')!
    const [, , third] = ticks.filter(({ seq }) => seq > opened.seq)
    expect(record.faults).toMatchObject([{ targets: ['n3'], beginUs: third.timeUs + 7000 }])
  })

  it('holds as long as a condition does, again and again, for those that a function names', async () => {
    const record = await run([
      {
        fault: 'pause',
        target: ({ index }) => index === 0,
        while: ({ events }) => events.all('tick').filter(({ data }) => data === 'n2').length % 10 >= 5,
      },
    ])
    expect(record.faults.length).toBeGreaterThan(1)
    expect(new Set(record.faults.map(({ text }) => text))).toEqual(new Set(['pause n1']))
    for (const { beginMs, endMs } of spans(record).slice(0, -1)) expect(endMs - beginMs).toBeLessThan(400)
  })

  it.each<[string, AimedFault, Partial<SimulationDefinition>, string]>([
    [
      'a process that this seed does not have',
      { fault: 'pause', target: 'n7', atMs: 1 },
      {},
      "no process 'n7'",
    ],
    [
      'a moment after the window',
      { fault: 'pause', atMs: 5000 },
      {},
      'is after the chaos window, which was 2000 ms',
    ],
    ['an event that never comes', { fault: 'pause', after: 'dawn' }, {}, "no event 'dawn' was published"],
    ['an event that comes too rarely', { fault: 'pause', after: 'leads', nth: 2 }, {}, 'only 1 of 2 times'],
    ['a condition that is never true', { fault: 'pause', while: () => false }, {}, 'never true'],
    [
      'a role that no process has',
      { fault: 'pause', target: { role: 'leader' }, atMs: 1 },
      {},
      "the role 'leader' now",
    ],
    [
      'a tag that no process has',
      { fault: 'pause', target: { tag: 'big' }, atMs: 1 },
      {},
      "no process with tag 'big'",
    ],
    [
      'what the budget forbids',
      { fault: 'partition', atMs: 1 },
      { budget: { partitions: false } },
      'the budget forbids it: partitions is false',
    ],
    ['too many out', { fault: 'out-of-memory', atMs: 1 }, { budget: { dead: 0 } }, 'dead is 0'],
    ['an honest disk', { fault: 'disk-wipe', atMs: 1 }, {}, 'lyingDisks is 0'],
    ['nothing to hit', { fault: 'half-open', atMs: 1 }, {}, 'there is nothing that it could hit'],
  ])('fails the run when it is aimed at %s', async (_, aimed, more, reason) => {
    const { result } = await run([aimed], more)
    expect(result.failure).toMatchObject({ category: 'mistake', title: `script[0] (${aimed.fault})` })
    expect(result.failure!.message).toContain('is aimed at nothing: ')
    expect(result.failure!.message).toContain(reason)
    const allowed = await run([{ ...aimed, mayMiss: true }], more)
    expect(allowed.result.failure).toBeNull()
  })

  it('is left out when its choice says so, as shrinking does, and that is no mistake', async () => {
    const definition = scripted([{ fault: 'pause', target: 'n1', atMs: 200, forMs: 300 }])
    const job = { simulation: { file: '', name: 'toy' }, level: 'sunny', seed: 1, keepChoices: true } as const
    const { choices } = await runSeed(job, inlineHost(definition))
    expect(choices).toContainEqual(
      expect.objectContaining({ entity: 'nemesis pause aimed #0', label: 'happens' }),
    )
    const kept = choices.filter(({ entity }) => !entity.startsWith('nemesis '))
    expect(kept.length).toBe(choices.length - 1)
    const { result, faults } = await runSeed(
      { ...job, base: 'zero', misfit: 'bend', overrides: kept },
      inlineHost(definition),
    )
    expect([result.failure, faults]).toEqual([null, []])
  })

  it.each<[string, Partial<AimedFault>, string]>([
    ['no moment', {}, 'script[0] needs one of atMs, after and while, and has 0'],
    ['two moments', { atMs: 1, after: 'x' }, 'needs one of atMs, after and while, and has 2'],
    ['an unknown fault', { fault: 'puase' as 'pause', atMs: 1 }, 'script[0].fault'],
    ['a process that cannot exist', { target: 'm1', atMs: 1 }, 'script[0].target: there is no process "m1"'],
    ['a group that does not exist', { target: { group: 'm' }, atMs: 1 }, 'script[0].target.group'],
    [
      'a role that is not declared',
      { target: { role: 'king' }, atMs: 1 },
      'there is no role "king"; declare it',
    ],
    ['an unknown parameter', { fault: 'loss', with: { precent: 3 }, atMs: 1 }, 'did you mean "percent"?'],
    [
      'a parameter out of its range',
      { fault: 'loss', with: { percent: 99 }, atMs: 1 },
      'a number from 10 to 30 (%)',
    ],
    ['an unknown word', { fault: 'partition', with: { shape: 'star' }, atMs: 1 }, 'must be isolate, halves'],
    ['nth without an event', { atMs: 1, nth: 2 }, 'nth and delayMs go with after'],
  ])('is refused with %s', async (_, aimed, message) => {
    await expect(run([{ fault: 'pause', ...aimed }])).rejects.toThrow(message)
  })
})
