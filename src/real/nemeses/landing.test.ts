import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { Choices } from '../../kernel/choices.ts'
import { ChoiceRng } from '../../sim/authoring/rng.ts'
import type { ClockReading, Cluster, RealNode } from '../cluster/cluster.ts'
import type { Exit } from '../cluster/node-process.ts'
import { FAULTS } from '../../faults/catalogue.ts'
import { DEFAULT_BUDGET } from '../../faults/budget.ts'
import { AddressPlan } from '../proxy/address-plan.ts'
import { Proxy } from '../proxy/proxy.ts'
import { nemesesNamed, nemesisName, NEMESES } from './index.ts'
import type { Field, Members } from './nemesis.ts'

const ends: (() => void)[] = []
afterEach(() => {
  vi.useRealTimers()
  for (const end of ends.splice(0)) end()
})

interface Behaviour {
  /** How the process ends after a signal; null: it does not. */
  readonly exit: Exit | null
  readonly reaches: boolean
  readonly states: () => readonly string[]
}

/** Processes that do as told here, and a proxy without traffic. */
async function field({ exit, reaches, states }: Behaviour): Promise<Field> {
  const plan = await AddressPlan.take()
  const names = ['n1', 'n2', 'n3', 'n4', 'n5']
  const proxy = new Proxy({ plan, nodes: names, random: () => 0.5, shared: false, owner: async () => null })
  ends.push(
    () => proxy.end(),
    () => plan.release(),
  )
  const folder = mkdtempSync(join(tmpdir(), 'wavetank-landing-'))
  ends.push(() => rmSync(folder, { recursive: true }))
  const nodes = names.map((name) => {
    const disk = join(folder, name, 'disk')
    mkdirSync(disk, { recursive: true })
    writeFileSync(join(disk, 'log'), 'what was written')
    const process = {
      alive: true,
      id: { pid: 1, startTicks: 1 },
      pids: [],
      stderr: join(folder, 'stderr.log'),
      signal: () => reaches,
      exit: async () => exit,
      states: () => [...states()],
    }
    const placement = { definition: {} }
    const changed = new Set()
    const machine = { isHere: false } // no look at all processes of this machine for strays
    return {
      name,
      process,
      placement,
      machine,
      disk,
      changed,
      ordered: false,
      down: false,
    } as unknown as RealNode
  })
  const clock = async (): Promise<ClockReading> => ({ offsetMs: 1, atMs: performance.now() })
  const cluster = {
    network: proxy,
    nodes,
    boot: async () => {},
    serves: async () => true,
    stopByCommand: () => false,
    clock,
  } as unknown as Cluster
  const members: Members = { leave: () => Promise.reject(new Error('no')), join: async () => {} }
  const rng = new ChoiceRng(new Choices({ seed: 1 }), 'test', false)
  return {
    cluster,
    rng,
    sameRng: () => rng,
    environment: {},
    nodes,
    living: nodes,
    primaries: async () => ['n1'],
    members,
    willMakeGroup: () => {},
    budget: { ...DEFAULT_BUDGET, lyingDisks: 1 },
  }
}

/** What waits for an evidence that does not come waits on a clock that runs ahead. */
async function inNoTime<T>(body: () => Promise<T>): Promise<T> {
  vi.useFakeTimers({ toFake: ['setTimeout', 'performance'] })
  const doing = body()
  await vi.advanceTimersByTimeAsync(60_000)
  return doing
}

const EVERY = NEMESES.flatMap(({ name, variants }) => variants.map((variant) => `${name}:${variant}`))

describe('every nemesis', () => {
  it.each(NEMESES)('$name is in the catalogue of faults with its real mechanism', ({ family }) => {
    expect(FAULTS.find(({ name }) => name === family)?.worlds.real).toBeDefined()
  })
})

describe('a fault that no victim has felt', () => {
  it.each(EVERY)('%s has no evidence when the victim shows nothing', async (name) => {
    const [{ nemesis, variant }] = nemesesNamed(name)
    const here = await field({ exit: null, reaches: false, states: () => ['S', 'R'] })
    const fault = await inNoTime(() => nemesis.begin(here, variant))
    const { injector, victim } = await inNoTime(() => fault!.end())
    expect(injector).not.toBe('')
    expect(victim).toBeNull()
  })

  it('is not a kill when the process ends otherwise', async () => {
    const [{ nemesis, variant }] = nemesesNamed('kill')
    const here = await field({ exit: { code: 1, signal: null }, reaches: true, states: () => [] })
    const fault = await nemesis.begin(here, variant)
    expect((await fault!.end()).victim).toBeNull()
  })
})

describe('a fault that was felt', () => {
  it('is a kill when the process ends by the signal', async () => {
    const [{ nemesis, variant }] = nemesesNamed('kill')
    const here = await field({ exit: { code: null, signal: 'SIGKILL' }, reaches: true, states: () => [] })
    const fault = await nemesis.begin(here, variant)
    expect((await fault!.end()).victim).toMatch(/^n\d \(process 1\) ended by SIGKILL$/)
  })

  it('is a pause when all threads are stopped, however late, and none when one runs', async () => {
    const [{ nemesis }] = nemesesNamed('pause')
    const late = [
      ['T', 'R'],
      ['T', 'R'],
      ['T', 'T'],
    ] // a busy machine lets the second thread wait for a processor
    const stopping = await field({ exit: null, reaches: true, states: () => late.shift() ?? ['T', 'T'] })
    const stopped = await nemesis.begin(stopping, 'one')
    expect((await stopped!.end()).victim).toContain('2 threads')
    const never = await field({ exit: null, reaches: true, states: () => ['T', 'R'] })
    const running = await inNoTime(() => nemesis.begin(never, 'one'))
    expect((await running!.end()).victim).toBeNull()
  })
})

describe('the shapes of a partition', () => {
  async function cutLinks(variant: string): Promise<string[]> {
    const here = await field({ exit: null, reaches: true, states: () => [] })
    const [{ nemesis }] = nemesesNamed('partition')
    await nemesis.begin(here, variant)
    const names = here.nodes.map(({ name }) => name)
    return names.flatMap((a) =>
      names.filter((b) => here.cluster.network.link(a, b).weather.cut).map((b) => `${a}>${b}`),
    )
  }

  it.each([
    ['halves', 12],
    ['one', 8],
    ['minority', 12],
    ['majority', 12],
    ['primaries', 8],
    ['bridge', 8],
    ['one-way', 4],
    ['ring', 10],
  ])('%s of five nodes cuts %i directed links', async (variant, links) => {
    expect(await cutLinks(variant)).toHaveLength(links)
  })

  it('leaves every node of a ring a majority', async () => {
    const cut = await cutLinks('ring')
    for (const node of ['n1', 'n2', 'n3', 'n4', 'n5'])
      expect(cut.filter((link) => link.startsWith(`${node}>`))).toHaveLength(2)
  })
})

describe('a nemesis that a simulation has no room for', () => {
  it.each([
    ['truncate', 'damaged files need `budget: { lyingDisks: 1 }`'],
    ['membership', 'membership needs `membership: { leave, join }`'],
  ])('is refused before the run: %s', async (name, reason) => {
    const [{ nemesis, variant }] = nemesesNamed(name)
    const { nodes } = await field({ exit: null, reaches: false, states: () => [] })
    const preparation = { nodes, path: '', members: null, budget: DEFAULT_BUDGET }
    expect(() => nemesis.prepare!(preparation, variant)).toThrow(reason)
  })
})

describe('names of nemeses', () => {
  it('are those of Jepsen tests too', () => {
    expect(nemesesNamed('partition-random-node,kill-random-node').map(nemesisName)).toEqual([
      'partition:one',
      'kill',
    ])
    expect(nemesesNamed('combined').map(nemesisName)).toEqual(['kill', 'pause', 'partition'])
    expect(nemesesNamed('none')).toEqual([])
  })

  it('are refused with the nearest one', () => {
    expect(() => nemesesNamed('kil')).toThrow(/no nemesis kil; did you mean "kill"\?/)
    expect(() => nemesesNamed('kill:two')).toThrow(/kill has no variant two; expected one, minority/)
    expect(() => nemesesNamed('bit-flip:log')).toThrow(/expected any, or a pattern of files/)
    expect(nemesesNamed('bit-flip:/data/*.log').map(nemesisName)).toEqual(['bit-flip:/data/*.log'])
  })
})
