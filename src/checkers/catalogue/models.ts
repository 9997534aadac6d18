/** Models of objects: sequential specifications for `linearizable` and `sequential`. */
import { model, NO_OPTIONS, type ModelEntry } from './entry.ts'

const NULL_IS_A_VALUE =
  'A read of null saw null. With `nullReadMatchesAll` (`--null-reads any`) it saw an unknown value, as in Knossos.'

export const MODELS: readonly ModelEntry[] = [
  {
    name: 'register',
    functions: '`read`, `write`',
    note: NULL_IS_A_VALUE,
    load: async () => {
      const { register, REGISTER_OPTIONS } = await import('../linearizable/models/register.ts')
      return model('register', register, REGISTER_OPTIONS)
    },
  },
  {
    name: 'cas-register',
    functions: '`read`, `write`, `cas` with `[from, to]`',
    note: NULL_IS_A_VALUE,
    load: async () => {
      const { casRegister } = await import('../linearizable/models/cas-register.ts')
      const { REGISTER_OPTIONS } = await import('../linearizable/models/register.ts')
      return model('cas-register', casRegister, REGISTER_OPTIONS)
    },
  },
  {
    name: 'multi-register',
    functions: '`txn` of reads and writes of several registers; `read`, `write`',
    note: NULL_IS_A_VALUE,
    load: async () => {
      const { multiRegister, MULTI_REGISTER_OPTIONS } =
        await import('../linearizable/models/multi-register.ts')
      return model('multi-register', multiRegister, MULTI_REGISTER_OPTIONS)
    },
  },
  {
    name: 'map',
    functions: '`get`, `put`, `append`, `cas`, `delete`, by key',
    note: 'A key that is not there reads as `absent`, null by default.',
    load: async () => {
      const { map, MAP_OPTIONS } = await import('../linearizable/models/map.ts')
      return model('map', map, MAP_OPTIONS)
    },
  },
  {
    name: 'counter',
    functions: '`add`, `increment`, `decrement`, `read`',
    load: async () => {
      const { counter, COUNTER_OPTIONS } = await import('../linearizable/models/counter.ts')
      return model('counter', counter, COUNTER_OPTIONS)
    },
  },
  {
    name: 'set',
    functions: '`add`, `remove`, `contains`, `read`',
    load: async () => {
      const { set } = await import('../linearizable/models/set.ts')
      return model('set', set, NO_OPTIONS)
    },
  },
  {
    name: 'queue',
    functions: '`enqueue`, `dequeue`',
    note: 'A dequeue that gives null found the queue empty.',
    load: async () => {
      const { queue } = await import('../linearizable/models/queue.ts')
      return model('queue', queue, NO_OPTIONS)
    },
  },
  {
    name: 'stack',
    functions: '`push`, `pop`',
    note: 'A pop that gives null found the stack empty.',
    load: async () => {
      const { stack } = await import('../linearizable/models/stack.ts')
      return model('stack', stack, NO_OPTIONS)
    },
  },
  {
    name: 'priority-queue',
    functions: '`insert`, `delete-min`',
    note: 'A delete-min that gives null found the queue empty.',
    load: async () => {
      const { priorityQueue } = await import('../linearizable/models/priority-queue.ts')
      return model('priority-queue', priorityQueue, NO_OPTIONS)
    },
  },
  {
    name: 'log',
    functions: '`append`, `read`',
    load: async () => {
      const { log } = await import('../linearizable/models/log.ts')
      return model('log', log, NO_OPTIONS)
    },
  },
  {
    name: 'mutex',
    functions: '`acquire`, `release`',
    load: async () => {
      const { mutex } = await import('../linearizable/models/mutex.ts')
      return model('mutex', mutex, NO_OPTIONS)
    },
  },
  {
    name: 'reentrant-lock',
    functions: '`acquire`, `release`, several times by one client',
    load: async () => {
      const { reentrantLock, REENTRANT_LOCK_OPTIONS } =
        await import('../linearizable/models/reentrant-lock.ts')
      return model('reentrant-lock', reentrantLock, REENTRANT_LOCK_OPTIONS)
    },
  },
  {
    name: 'semaphore',
    functions: '`acquire`, `release`, with permits',
    load: async () => {
      const { semaphore, SEMAPHORE_OPTIONS } = await import('../linearizable/models/semaphore.ts')
      return model('semaphore', semaphore, SEMAPHORE_OPTIONS)
    },
  },
  {
    name: 'lease',
    functions: '`acquire`, `renew`, `release`, with fencing tokens; `read`, and `write`s by token',
    load: async () => {
      const { lease, LEASE_OPTIONS } = await import('../linearizable/models/lease.ts')
      return model('lease', lease, LEASE_OPTIONS)
    },
  },
  {
    name: 'bank',
    functions: '`transfer`, `read`',
    load: async () => {
      const { bank, BANK_OPTIONS } = await import('../linearizable/models/bank.ts')
      return model('bank', bank, BANK_OPTIONS)
    },
  },
]
