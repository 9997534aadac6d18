/**
 * Isolation levels of register transactions, decided one by one. The levels are the axiomatic ones of Biswas and Enea
 * (OOPSLA 2019); `transactions.rwRegister` asks the other way round, which levels are certainly not kept.
 */
export {
  causal,
  itemCutIsolation,
  prefixConsistent,
  readAtomic,
  readCommitted,
  serializable,
  snapshotIsolation,
  type LevelDetails,
  type LevelOptions,
} from './levels/index.ts'
