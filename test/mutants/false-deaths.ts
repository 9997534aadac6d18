/**
 * npm run false-deaths -- [--seeds 100] [--jobs N]
 *
 * Runs examples/gossip under one-way cuts over the same seeds with Lifeguard and without, and prints how many members
 * that run were suspected and held for dead. Exit code 0 when all rules held, 1 when a seed failed.
 */
import { availableParallelism } from 'node:os'
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import {
  ACCUSATIONS,
  BELIEFS,
  DEATHS,
  withLifeguard,
  withoutLifeguard,
} from '../../examples/gossip/false-deaths.ts'
import { threadPool } from '../../src/host/campaign.ts'

const ROOT = resolve(import.meta.dirname, '../..')
const FILE = resolve(ROOT, 'examples/gossip/false-deaths.ts')

const { values: options } = parseArgs({
  options: {
    seeds: { type: 'string', default: '100' },
    jobs: { type: 'string', default: String(availableParallelism()) },
  },
})

const seeds = Array.from({ length: Number(options.seeds) }, (_, index) => index + 1)
const pool = threadPool(ROOT, { jobs: Number(options.jobs) })
const failures: string[] = []
const lines: string[] = []
for (const { name } of [withoutLifeguard, withLifeguard]) {
  const count = { [ACCUSATIONS]: 0, [DEATHS]: 0, [BELIEFS]: 0 }
  let seedsWithDeath = 0
  const reports = await Promise.all(
    seeds.map((seed) => pool.run({ simulation: { file: FILE, name }, level: 'stormy', seed })),
  )
  for (const { result } of reports) {
    if (result.failure !== null) failures.push(`${name}, seed ${result.seed}: ${result.failure.message}`)
    for (const { message, passed } of result.assertions) {
      if (message in count) count[message as keyof typeof count] += passed
      if (message === DEATHS && passed > 0) seedsWithDeath++
    }
  }
  const cells = [count[ACCUSATIONS], count[DEATHS], count[BELIEFS], seedsWithDeath]
  lines.push(`| ${name.endsWith('on') ? 'on' : 'off'} | ${cells.join(' | ')} |`)
}
await pool.close()
console.log(
  [
    `| Lifeguard | suspected | held for dead | beliefs in such a death | of ${seeds.length} seeds, with a death |`,
    '| --- | --- | --- | --- | --- |',
    ...lines,
  ].join('\n'),
)
for (const failure of failures) console.error(failure)
process.exit(failures.length === 0 ? 0 : 1)
