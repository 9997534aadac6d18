/**
 * The objects of the benches for linearizability: what clients ask of each, and the model that checks it.
 */
import * as models from '../../src/checkers/linearizable/index.ts'
import type { AnyModel } from '../../src/checkers/linearizable/index.ts'
import type { Call, SimulatedObject } from './object-histories.ts'

export interface BenchObject {
  readonly what: string
  readonly clients: number
  readonly unknownPpm: number
  readonly model: AnyModel
  /** A new one for each history: some remember what they have handed out. */
  make(): SimulatedObject<any>
}

const pick = (random: () => number, n: number): number => Math.floor(random() * n)

function log(): SimulatedObject<readonly number[]> {
  let fresh = 0
  return {
    initial: [],
    call: (random) => (random() < 0.5 ? { f: 'append', input: fresh++ } : { f: 'read', input: null }),
    apply: (state, { f, input }) =>
      f === 'append' ? { state: [...state, input as number], output: null } : { state, output: state },
    plant: 'stale',
    observes: ({ f }) => f === 'read',
  }
}

/** Half of the changes add something new, the others remove what is inside, or was a moment ago. */
function set(): SimulatedObject<readonly number[]> {
  let fresh = 0
  return {
    initial: [],
    call: (random, state) => {
      const kind = random()
      if (kind < 0.4) return { f: 'read', input: null }
      if (kind < 0.75 || state.length === 0) return { f: 'add', input: fresh++ }
      return { f: 'remove', input: state[pick(random, state.length)] }
    },
    apply: (state, { f, input }) => {
      if (f === 'read') return { state, output: state }
      if (f === 'add') return { state: [...state, input as number], output: null }
      return { state: state.filter((element) => element !== input), output: null }
    },
    plant: 'stale',
    observes: ({ f }) => f === 'read',
  }
}

/** Text that grows by tokens, and is written anew now and then. */
function mapOfAppends(): SimulatedObject<string> {
  let fresh = 0
  return {
    initial: '',
    call: (random) => {
      const kind = random()
      if (kind < 0.5) return { f: 'get', input: null, key: 'k' }
      if (kind < 0.98) return { f: 'append', input: `x${fresh++}y`, key: 'k' }
      return { f: 'put', input: `p${fresh++}q`, key: 'k' }
    },
    apply: (state, { f, input }) => {
      if (f === 'get') return { state, output: state }
      return { state: f === 'append' ? state + (input as string) : (input as string), output: null }
    },
    plant: 'stale',
    observes: ({ f }) => f === 'get',
  }
}

function counter(deltas: number): SimulatedObject<number> {
  return {
    initial: 0,
    call: (random) =>
      random() < 0.5 ? { f: 'add', input: 1 + pick(random, deltas) } : { f: 'read', input: null },
    apply: (state, { f, input }) =>
      f === 'add' ? { state: state + (input as number), output: null } : { state, output: state },
    plant: 'stale',
    observes: ({ f }) => f === 'read',
  }
}

type Values = readonly number[]

/** A container: one value in `repeatEvery` repeats an earlier one. */
function container(
  names: readonly [insert: string, remove: string],
  repeats: number,
  taken: (state: Values) => number,
): SimulatedObject<Values> {
  let fresh = 0
  return {
    initial: [],
    call: (random): Call => {
      if (random() < 0.45) return { f: names[1], input: null }
      const repeated = fresh > 0 && random() < repeats
      return { f: names[0], input: repeated ? pick(random, fresh) : fresh++ }
    },
    apply: (state, { f, input }) => {
      if (f === names[0]) return { state: [...state, input as number], output: null }
      if (state.length === 0) return { state, output: null }
      const at = taken(state)
      return { state: state.toSpliced(at, 1), output: state[at] }
    },
    plant: 'swap',
    observes: ({ f }, output) => f === names[1] && output !== null,
  }
}

const scattered = (value: number): number => Math.imul(value, 0x9e3779b1) >>> 0

function priorityQueue(repeats: number): SimulatedObject<Values> {
  const inner = container(['insert', 'delete-min'], repeats, (state) => state.indexOf(Math.min(...state)))
  return {
    ...inner,
    call: (random, state) => {
      const call = inner.call(random, state)
      return call.f === 'insert' ? { ...call, input: scattered(call.input as number) } : call
    },
  }
}

function casRegister(values: number): SimulatedObject<number | null> {
  return {
    initial: null,
    call: (random, state) => {
      const kind = pick(random, 3)
      if (kind === 0) return { f: 'read', input: null }
      if (kind === 1) return { f: 'write', input: pick(random, values) }
      // Half of them from what the client may have read.
      const from = random() < 0.5 && state !== null ? state : pick(random, values)
      return { f: 'cas', input: [from, pick(random, values)] }
    },
    apply: (state, { f, input }) => {
      if (f === 'read') return { state, output: state }
      if (f === 'write') return { state: input as number, output: null }
      const [from, to] = input as [number, number]
      return state === from ? { state: to, output: true } : null
    },
    plant: 'stale',
    observes: ({ f }) => f === 'read',
  }
}

type Registers = Readonly<Record<string, number>>
type Micro = readonly [f: string, key: string, value: number | null]

/** Transactions of one to three steps over a few registers. */
function multiRegister(keys: number, values: number): SimulatedObject<Registers> {
  return {
    initial: {},
    call: (random) => {
      const chosen = Array.from({ length: keys }, (_, i) => `k${i}`).filter(() => random() < 0.5)
      if (chosen.length === 0) chosen.push('k0')
      const writes = random() < 0.5
      return {
        f: 'txn',
        input: chosen.map((key): Micro => (writes ? ['w', key, pick(random, values)] : ['r', key, null])),
      }
    },
    apply: (state, { input }) => {
      let next = state
      const output = (input as Micro[]).map(([f, key, value]): Micro => {
        if (f === 'r') return ['r', key, next[key] ?? null]
        next = { ...next, [key]: value! }
        return ['w', key, value]
      })
      return { state: next, output }
    },
    plant: 'stale',
    observes: ({ input }) => (input as Micro[])[0][0] === 'r',
  }
}

export const OBJECTS: Readonly<Record<string, BenchObject>> = {
  log: { what: 'log', clients: 20, unknownPpm: 20_000, model: models.log(), make: log },
  set: { what: 'set with whole reads', clients: 20, unknownPpm: 20_000, model: models.set(), make: set },
  map: {
    what: 'map with appends',
    clients: 20,
    unknownPpm: 20_000,
    model: models.map({ absent: '' }),
    make: mapOfAppends,
  },
  counter: {
    what: 'counter, adds of 1 to 5',
    clients: 20,
    unknownPpm: 20_000,
    model: models.counter(),
    make: () => counter(5),
  },
  queue: {
    what: 'queue, 5 % repeated',
    clients: 20,
    unknownPpm: 0,
    model: models.queue(),
    make: () => container(['enqueue', 'dequeue'], 0.05, () => 0),
  },
  stack: {
    what: 'stack, 5 % repeated',
    clients: 20,
    unknownPpm: 0,
    model: models.stack(),
    make: () => container(['push', 'pop'], 0.05, (state) => state.length - 1),
  },
  'priority-queue': {
    what: 'priority queue, 5 % repeated',
    clients: 20,
    unknownPpm: 0,
    model: models.priorityQueue(),
    make: () => priorityQueue(0.05),
  },
  'cas-50': {
    what: 'CAS register, 50 values',
    clients: 50,
    unknownPpm: 0,
    model: models.casRegister(),
    make: () => casRegister(50),
  },
  'cas-500': {
    what: 'CAS register, 500 values',
    clients: 50,
    unknownPpm: 0,
    model: models.casRegister(),
    make: () => casRegister(500),
  },
  'multi-register': {
    what: 'multi-register',
    clients: 10,
    unknownPpm: 50_000,
    model: models.multiRegister(),
    make: () => multiRegister(3, 5),
  },
}
