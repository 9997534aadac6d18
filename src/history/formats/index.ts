/**
 * All formats, in the order in which they are tried on the beginning of a file.
 */
import { awdit } from './awdit.ts'
import { dbcop } from './dbcop.ts'
import type { HistoryFormat } from './format.ts'
import { jepsenEdn } from './jepsen-edn.ts'
import { jepsenJson, jepsenJsonLines } from './jepsen-json.ts'
import { jepsenLog } from './jepsen-log.ts'
import { polysi, polysiJson } from './polysi.ts'
import { wavetank } from './wavetank.ts'

export const FORMATS: readonly HistoryFormat[] = [
  wavetank,
  polysiJson,
  jepsenJsonLines,
  dbcop,
  jepsenJson,
  jepsenEdn,
  jepsenLog,
  polysi,
  awdit,
]

export function formatNamed(name: string): HistoryFormat | null {
  return FORMATS.find((format) => format.name === name) ?? null
}

/** The format that a text which begins like this is in, or null. */
export function detectFormat(head: string): HistoryFormat | null {
  const text = head.trimStart()
  return FORMATS.find((format) => format.detect(text)) ?? null
}
