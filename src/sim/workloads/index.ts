/**
 * Ready workloads: a client of a few lines, and the kit has operations, histories and a sound checker for it. Generators
 * and key distributions are there for workloads of your own.
 */
export { flipFlop, limit, mix, op, perClient, phases, reserve, stagger, until } from './generators.ts'
export type { Asked, Generator, Next, Turn } from './generators.ts'
export { hotKey, uniform, zipf, type Keys } from './keys.ts'
export { workloadOf, type Act, type Answers, type KitOptions, type Recipe } from './kit.ts'
export { broadcast, cas, counter, lease, lock, log, queue, register, set, uniqueIds } from './objects.ts'
export type {
  BroadcastClient,
  CasClient,
  CounterClient,
  KeyOptions,
  LeaseClient,
  LockClient,
  LogClient,
  QueueClient,
  RegisterClient,
  SetClient,
  UniqueIdsClient,
} from './objects.ts'
export { bank, listAppend, rwRegister } from './transactions.ts'
export type { BankClient, MicroOperation, TransactionClient } from './transactions.ts'
