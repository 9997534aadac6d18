/** The columns of a recorded history, and which of them a claim cannot do without. */
import type { ModelName } from '../catalog/oracle-patterns.ts'

export const HISTORY_FIELDS = [
  'op_id',
  'process_id',
  'invoke_ts',
  'complete_ts',
  'op_type',
  'key',
  'input',
  'output',
  'error',
  'timeout_marker',
  'node_seen',
  'fault_epoch',
] as const

export type HistoryField = (typeof HISTORY_FIELDS)[number]

/** Without these no history can be judged. */
export const ALWAYS_NEEDED: readonly HistoryField[] = [
  'op_id',
  'process_id',
  'invoke_ts',
  'complete_ts',
  'op_type',
  'input',
  'output',
  'timeout_marker',
]

/** What a model needs besides. */
export const NEEDED_BY_MODEL: Readonly<Record<ModelName, readonly HistoryField[]>> = {
  register: [],
  map: ['key'],
  queue: [],
  log: [],
  lock: ['fault_epoch'],
  lease: ['fault_epoch'],
  session: [],
  'membership-table': ['node_seen'],
  counter: [],
  ledger: ['input'],
  other: [],
}

export const FIELD_MEANINGS: Readonly<Record<HistoryField, string>> = {
  op_id: 'unique id of the operation; a retry has its own',
  process_id: 'the client, which runs one operation at a time',
  invoke_ts: 'when it was asked',
  complete_ts: 'when it was answered; null for a time-out',
  op_type: 'what was asked',
  key: 'what it was asked of; null if there is only one object',
  input: 'what went in',
  output: 'what came out; never recorded for an operation that timed out',
  error: 'why it failed or is unknown',
  timeout_marker: 'whether the outcome is unknown',
  node_seen: 'which node answered',
  fault_epoch: 'how many fault episodes had begun or ended',
}
