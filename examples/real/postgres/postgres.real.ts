/**
 * PostgreSQL at its three levels of isolation, each asked whether it is serializable: only the last one is.
 *
 *     npx wavetank real test postgres --workload postgres-repeatable-read --rate 0 --time-limit 10
 */
import { simulation } from 'wavetank'
import { appends } from './append-workload.ts'
import { postgres } from './postgres.ts'

const processes = { postgres: { system: postgres } }

export const readCommitted = simulation('postgres-read-committed', {
  processes,
  workload: appends('READ COMMITTED', 'snapshot-isolation'),
})

export const repeatableRead = simulation('postgres-repeatable-read', {
  processes,
  workload: appends('REPEATABLE READ', 'serializable'),
})

export const serializable = simulation('postgres-serializable', {
  processes,
  workload: appends('SERIALIZABLE'),
})
