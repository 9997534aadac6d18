/** The columns of a recorded history as a catalogue: what each means, and who cannot do without it. */
import {
  ALWAYS_NEEDED,
  FIELD_MEANINGS,
  HISTORY_FIELDS,
  NEEDED_BY_MODEL,
  type HistoryField,
} from '../model/history-fields.ts'
import type { Catalogue, Entry } from './entry.ts'

interface HistoryColumn extends Entry {
  readonly id: HistoryField
}

const COLUMNS: readonly HistoryColumn[] = HISTORY_FIELDS.map((id) => ({
  id,
  title: id,
  text: `${FIELD_MEANINGS[id][0].toUpperCase()}${FIELD_MEANINGS[id].slice(1)}.`,
  references: ['Kingsbury, Alvaro: Elle: Inferring Isolation Anomalies, 2020'],
}))

export const HISTORY_COLUMN_CATALOGUE: Catalogue<HistoryColumn> = {
  kind: 'history-columns',
  title: 'Columns of a history',
  about: 'What is recorded of every operation. What is not known is null, never left out.',
  entries: COLUMNS,
  details: ({ id }) => [['needed by', neededBy(id)]],
}

function neededBy(id: HistoryField): string {
  if (ALWAYS_NEEDED.includes(id)) return 'every history'
  const models = Object.entries(NEEDED_BY_MODEL).filter(([, fields]) => fields.includes(id))
  const faults = id === 'fault_epoch' ? ['every scenario with faults'] : []
  return [...models.map(([model]) => `a ${model}`), ...faults].join(', ') || 'those that promise it in §7.M'
}
