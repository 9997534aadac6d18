/**
 * npm run bench:checkers -- [--quick] [--json] [--only PATTERN]
 *
 * The speed of the checkers on histories from seeded generators: one row per promise, each against a peer of the same
 * run. `--quick` takes a tenth of the sizes and a fifth of the histories. Porcupine is measured where `PORCUPINE`
 * names a checkout of it; `wavetank check` is the built one.
 */
import { parseArgs } from 'node:util'
import { blindWritesBench, decidedObjects, ednBench, kafkaBench } from './checkers/decisions.ts'
import { OBJECTS } from './checkers/objects.ts'
import { casRegisters, porcupineLogsBench, uniqueRegister } from './checkers/linearizability.ts'
import { reading, start } from './checkers/reading.ts'
import type { Row } from './checkers/row.ts'
import { listAppends, memory, registers } from './checkers/transactions.ts'

const { values } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
    only: { type: 'string', default: '' },
  },
})
const only = new RegExp(values.only)
const size = values.quick ? 100_000 : 1_000_000
const histories = values.quick ? 4 : 20
let c10Ms: number | null = null

function porcupine(): Row {
  const bench = porcupineLogsBench()
  c10Ms = bench.c10Ms
  return bench.row
}

const decided = (unknownPpm: number, staleRead: readonly [number, number] | null) => (): Row =>
  casRegisters({ histories, unknownPpm, staleRead, c10Ms })

const MIDDLE = [0.2, 0.8] as const

/** In this order: how long Porcupine takes is the limit for CAS registers. */
const SUBJECTS: Readonly<Record<string, () => Row>> = {
  start,
  reading: () => reading(size),
  register: () => uniqueRegister(size),
  porcupine,
  'cas-valid': decided(50_000, null),
  'cas-stale': decided(50_000, MIDDLE),
  'cas-stale-early': decided(50_000, [0, 0.004]),
  'cas-stale-few-unknown': decided(5_000, MIDDLE),
  'cas-stale-all-known': decided(0, MIDDLE),
  'list-append': () => listAppends(size),
  'rw-register': () => registers(size / 10),
  memory: () => memory(size),
  ...Object.fromEntries(
    Object.keys(OBJECTS).flatMap((name) => [
      [`decided-${name}-valid`, () => decidedObjects(name, histories, false)],
      [`decided-${name}-violated`, () => decidedObjects(name, histories, true)],
    ]),
  ),
  // Late in a history of repeated values, writes of unknown outcome explain nearly every stale read.
  'decided-multi-register-violated-early': () => decidedObjects('multi-register', histories, true, [0, 0.1]),
  'blind-serializable': () => blindWritesBench('serializable', 1_000, 2_000),
  'blind-snapshot': () => blindWritesBench('snapshot-isolation', 1_000, 2_000),
  'blind-serializable-many': () => blindWritesBench('serializable', 10_000, 30_000),
  'blind-snapshot-many': () => blindWritesBench('snapshot-isolation', 10_000, 30_000),
  edn: () => ednBench(size),
  kafka: () => kafkaBench(100_000),
}

const rows: Row[] = []
if (!values.json) print(['what', 'ours', 'peer', 'ratio', 'bar', 'met', ''])
for (const [subject, measure] of Object.entries(SUBJECTS)) {
  if (!only.test(subject)) continue
  const row = measure()
  rows.push(row)
  const { what, ours, peer, ratio, bar, met, note } = row
  if (values.json) continue
  print([what, ours, peer, ratio?.toFixed(2) ?? '–', bar, met === null ? '–' : met ? 'yes' : 'NO', note])
}
if (values.json) console.log(JSON.stringify({ node: process.version, quick: values.quick, rows }, null, 2))

function print([what, ours, peer, ratio, bar, met, note]: readonly string[]): void {
  console.log(
    `${what.padEnd(62)}${ours.padEnd(20)}${peer.padEnd(24)}${ratio.padStart(6)}  ${bar.padEnd(12)}${met.padEnd(5)}${note}`.trimEnd(),
  )
}
