/** All workloads by name. */
import { gCounter, pnCounter } from './counters.ts'
import { echo } from './echo.ts'
import { broadcast, gSet } from './elements.ts'
import { kafka } from './kafka.ts'
import { linKv } from './lin-kv.ts'
import { txnListAppend, txnRwRegister } from './transactions.ts'
import { uniqueIds } from './unique-ids.ts'
import type { Workload } from './workload.ts'

export const WORKLOADS = {
  broadcast,
  echo,
  'g-counter': gCounter,
  'g-set': gSet,
  kafka,
  'lin-kv': linKv,
  'pn-counter': pnCounter,
  'txn-list-append': txnListAppend,
  'txn-rw-register': txnRwRegister,
  'unique-ids': uniqueIds,
} satisfies Readonly<Record<string, Workload>>

export type WorkloadName = keyof typeof WORKLOADS
