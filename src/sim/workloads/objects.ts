/**
 * Ready workloads for single objects, each with its checker: register, compare-and-set, set, counter, queue, log, lock,
 * lease, unique ids, broadcast. The user gives a client; the values that it is asked to write are never written twice.
 */
import { linearizable } from '../../checkers/linearizable/index.ts'
import { casRegister, register as registerModel } from '../../checkers/linearizable/models/index.ts'
import * as objects from '../../checkers/objects/index.ts'
import type { Workload } from '../authoring/definition.ts'
import { op, mix, perClient, type Asked, type Generator, type Turn } from './generators.ts'
import type { RunningOperation } from '../authoring/operations.ts'
import { uniform, type Keys } from './keys.ts'
import { aFunction, number, type Expectation } from '../../kernel/expectation.ts'
import { checkKit, workloadOf, type KitOptions } from './kit.ts'

type Answer<T = unknown> = T | Promise<T>

/** A client that forgets to return its answer gives undefined. */
const aValue = (): Expectation => ({
  expected: 'a value, or null for none',
  isMet: (answer) => answer !== undefined,
})
const aNumber = (): Expectation => ({ expected: 'a number', isMet: (answer) => typeof answer === 'number' })
const aBoolean = (): Expectation => ({
  expected: 'true or false',
  isMet: (answer) => typeof answer === 'boolean',
})
const aList = (): Expectation => ({ expected: 'a list', isMet: (answer) => Array.isArray(answer) })
const anElement = (): Expectation => ({
  expected: 'an element as it was enqueued, a number, or null if the queue is empty',
  isMet: (answer) => answer === null || typeof answer === 'number',
})
const anId = (): Expectation => ({
  expected: 'an id',
  isMet: (answer) => answer !== undefined && answer !== null,
})

/** Which keys a workload of several objects asks for. */
export interface KeyOptions {
  /** Three keys, equally likely, by default. */
  readonly keys?: Keys
}

export interface RegisterClient<Client> extends KitOptions<Client>, KeyOptions {
  read(client: Client, key: number, operation: RunningOperation): Answer
  write(client: Client, key: number, value: number, operation: RunningOperation): Answer
}

/** Registers by key that must be linearizable. A key that was never written reads as null. */
export function register<Client>(options: RegisterClient<Client>): Workload<Client> {
  const { keys = uniform(3) } = options
  checkKit('register', options, { read: aFunction, write: aFunction }, { keys: aFunction })
  return workloadOf(options, {
    name: 'register',
    generator: mix([1, reads(keys)], [1, writes(keys)]),
    answers: { read: aValue },
    acts: {
      read: (client, { key }, operation) => options.read(client, key as number, operation),
      write: (client, { key, input }, operation) =>
        options.write(client, key as number, input as number, operation),
    },
    check: (history) => linearizable(history, registerModel()),
  })
}

export interface CasClient<Client> extends RegisterClient<Client> {
  /** Answers false if the register did not hold `from`. */
  cas(client: Client, key: number, from: number, to: number, operation: RunningOperation): Answer<boolean>
}

/** Registers with compare-and-set that must be linearizable. Values are 0 to 4, so that some sets match. */
export function cas<Client>(options: CasClient<Client>): Workload<Client> {
  const { keys = uniform(3) } = options
  const small = (turn: Turn): number => turn.rng.below(5)
  checkKit('cas', options, { read: aFunction, write: aFunction, cas: aFunction }, { keys: aFunction })
  return workloadOf(options, {
    name: 'cas',
    answers: { read: aValue, cas: aBoolean },
    generator: mix(
      [1, reads(keys)],
      [1, op('write', (turn) => ({ key: keys(turn.rng), input: small(turn) }))],
      [2, op('cas', (turn) => ({ key: keys(turn.rng), input: [small(turn), small(turn)] }))],
    ),
    acts: {
      read: (client, { key }, operation) => options.read(client, key as number, operation),
      write: (client, { key, input }, operation) =>
        options.write(client, key as number, input as number, operation),
      cas: (client, { key, input }, operation) => {
        const [from, to] = input as [number, number]
        return options.cas(client, key as number, from, to, operation)
      },
    },
    check: (history) => linearizable(history, casRegister()),
  })
}

export interface SetClient<Client> extends KitOptions<Client> {
  add(client: Client, element: number, operation: RunningOperation): Answer
  /** All elements. */
  read(client: Client, operation: RunningOperation): Answer<readonly unknown[]>
}

/** A set: what was added and acknowledged stays. */
export function set<Client>(options: SetClient<Client>): Workload<Client> {
  checkKit('set', options, { add: aFunction, read: aFunction })
  return workloadOf(options, {
    name: 'set',
    generator: mix([1, op('read')], [3, op('add', fresh)]),
    answers: { read: aList },
    acts: {
      add: (client, { input }, operation) => options.add(client, input as number, operation),
      read: (client, _, operation) => options.read(client, operation),
    },
    final: FINAL_READ,
    check: (history) => objects.setFull(history),
  })
}

export interface CounterClient<Client> extends KitOptions<Client> {
  add(client: Client, delta: number, operation: RunningOperation): Answer
  read(client: Client, operation: RunningOperation): Answer<number>
}

/** A counter: every read is a value that it can have had. */
export function counter<Client>(options: CounterClient<Client>): Workload<Client> {
  checkKit('counter', options, { add: aFunction, read: aFunction })
  return workloadOf(options, {
    name: 'counter',
    answers: { read: aNumber },
    generator: mix([1, op('read')], [2, op('add', ({ rng }) => ({ input: rng.between(1, 5) }))]),
    acts: {
      add: (client, { input }, operation) => options.add(client, input as number, operation),
      read: (client, _, operation) => options.read(client, operation),
    },
    final: FINAL_READ,
    check: (history) => objects.counter(history),
  })
}

export interface QueueClient<Client> extends KitOptions<Client> {
  enqueue(client: Client, element: number, operation: RunningOperation): Answer
  /** The element, or null if the queue is empty. */
  dequeue(client: Client, operation: RunningOperation): Answer
}

/** A queue: everything acknowledged comes out, once. At the end each client dequeues until the queue is empty. */
export function queue<Client>(options: QueueClient<Client>): Workload<Client> {
  checkKit('queue', options, { enqueue: aFunction, dequeue: aFunction })
  return workloadOf(options, {
    name: 'queue',
    generator: mix([2, op('enqueue', fresh)], [1, op('dequeue')]),
    answers: { dequeue: anElement, drain: elements },
    acts: {
      enqueue: (client, { input }, operation) => options.enqueue(client, input as number, operation),
      dequeue: (client, _, operation) => options.dequeue(client, operation),
      drain: async (client, _, operation) => {
        const rest: unknown[] = []
        for (;;) {
          const element = await options.dequeue(client, operation)
          if (element === null) return rest
          rest.push(element)
          if (!anElement().isMet(element)) return rest
        }
      },
    },
    final: [{ f: 'drain' }],
    check: (history) => objects.totalQueue(history),
  })
}

function elements(): Expectation {
  const { expected, isMet } = anElement()
  return { expected, isMet: (answer) => (answer as readonly unknown[]).every(isMet) }
}

export interface LogClient<Client> extends KitOptions<Client> {
  append(client: Client, element: number, operation: RunningOperation): Answer
  /** The whole log. */
  read(client: Client, operation: RunningOperation): Answer<readonly unknown[]>
}

/** A log: all reads agree on one order, which respects time, and no read goes back. */
export function log<Client>(options: LogClient<Client>): Workload<Client> {
  checkKit('log', options, { append: aFunction, read: aFunction })
  return workloadOf(options, {
    name: 'log',
    generator: mix([1, op('read')], [2, op('append', fresh)]),
    answers: { read: aList },
    acts: {
      append: (client, { input }, operation) => options.append(client, input as number, operation),
      read: (client, _, operation) => options.read(client, operation),
    },
    final: FINAL_READ,
    check: (history) => objects.prefix(history, { monotonic: true }),
  })
}

export interface LockClient<Client> extends KitOptions<Client> {
  /** Calls `fail()` if it does not get the lock. A number that it answers is a fencing token. */
  acquire(client: Client, operation: RunningOperation): Answer
  /** Calls `fail()` if the client does not hold the lock. */
  release(client: Client, operation: RunningOperation): Answer
}

/** A lock: one client holds it at a time, and fencing tokens grow. */
export function lock<Client>(options: LockClient<Client>): Workload<Client> {
  checkKit('lock', options, LOCK)
  return workloadOf(options, lockRecipe(options, undefined))
}

export interface LeaseClient<Client> extends LockClient<Client> {
  /** How long a lease lasts after the acquire began, in virtual milliseconds. */
  readonly ttlMs: number
}

/** A lease: one client holds it at a time while it has not run out, and fencing tokens grow. */
export function lease<Client>(options: LeaseClient<Client>): Workload<Client> {
  checkKit('lease', options, { ...LOCK, ttlMs: number(0) })
  return workloadOf(options, lockRecipe(options, options.ttlMs * 1000))
}

const LOCK = { acquire: aFunction, release: aFunction }

function lockRecipe<Client>(options: LockClient<Client>, ttlUs: number | undefined) {
  return {
    generator: perClient(() => mix([1, op('acquire')], [1, op('release')])),
    acts: {
      acquire: (client: Client, _: Asked, operation: RunningOperation) => options.acquire(client, operation),
      release: (client: Client, _: Asked, operation: RunningOperation) => options.release(client, operation),
    },
    check: (history: Parameters<typeof objects.lock>[0]) =>
      objects.lock(history, ttlUs === undefined ? {} : { ttlUs }),
    byClient: true,
  }
}

export interface UniqueIdsClient<Client> extends KitOptions<Client> {
  generate(client: Client, operation: RunningOperation): Answer
}

/** No id is given out twice. */
export function uniqueIds<Client>(options: UniqueIdsClient<Client>): Workload<Client> {
  checkKit('uniqueIds', options, { generate: aFunction })
  return workloadOf(options, {
    name: 'uniqueIds',
    generator: op('generate'),
    answers: { generate: anId },
    acts: { generate: (client, _, operation) => options.generate(client, operation) },
    check: (history) => objects.uniqueIds(history),
  })
}

export interface BroadcastClient<Client> extends KitOptions<Client> {
  broadcast(client: Client, message: number, operation: RunningOperation): Answer
  /** All messages that the client's node has seen; say which node it is by `operation.saw(node)`. */
  read(client: Client, operation: RunningOperation): Answer<readonly unknown[]>
}

/** Every message reaches every node. */
export function broadcast<Client>(options: BroadcastClient<Client>): Workload<Client> {
  checkKit('broadcast', options, { broadcast: aFunction, read: aFunction })
  return workloadOf(options, {
    name: 'broadcast',
    generator: mix([1, op('read')], [2, op('broadcast', fresh)]),
    answers: { read: aList },
    acts: {
      broadcast: (client, { input }, operation) => options.broadcast(client, input as number, operation),
      read: (client, _, operation) => options.read(client, operation),
    },
    final: FINAL_READ,
    check: (history) => objects.broadcast(history),
  })
}

const FINAL_READ: readonly Asked[] = [{ f: 'read', input: 'final' }]

/** A value that no other turn has. */
function fresh({ client, index }: Turn): { input: number } {
  return { input: client * 100_000 + index }
}

function reads(keys: Keys): Generator {
  return op('read', ({ rng }) => ({ key: keys(rng) }))
}

function writes(keys: Keys): Generator {
  return op('write', (turn) => ({ key: keys(turn.rng), ...fresh(turn) }))
}
