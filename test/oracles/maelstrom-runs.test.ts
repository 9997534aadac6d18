/**
 * Real runs of Maelstrom with its verdicts: the same histories, judged here. Differences are listed with their reason.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { type Checker, objects } from '../../src/checkers/index.ts'
import { parseHistory } from '../../src/history/read.ts'
import { describeOracles, filesUnder, readText } from './folder.ts'

const { broadcast, kafka, pnCounter, setFull, uniqueIds } = objects

/** By the beginning of a run's name. */
const CHECKERS: [RegExp, Checker][] = [
  [/^(broadcast|flood)/, broadcast],
  [/^gset/, setFull],
  [/^(pncounter|gcounter)/, pnCounter],
  [/^kafka/, (history) => kafka(history, { drained: true })],
  [/^uniq/, uniqueIds],
]

interface Outcome {
  readonly workload?: { readonly 'valid?'?: unknown }
}

describeOracles('maelstrom-runs', (path) => {
  // Two runs ended in an error of Maelstrom's, without results.
  const runs = filesUnder(path, /results\.json\.gz$/).map((file) => file.split('/')[0])
  const judged = runs.flatMap((run) => {
    const checker = CHECKERS.find(([name]) => name.test(run))?.[1]
    return checker === undefined ? [] : [[run, checker] as const]
  })

  it.each(judged)('%s has the verdict that Maelstrom gave', (run, check) => {
    const results = JSON.parse(readText(join(path, run, 'results.json.gz'))) as Outcome
    const result = check(parseHistory(readFileSync(join(path, run, 'history.jsonl.gz'))))
    const expected = results.workload?.['valid?']
    const verdict = expected === true ? 'valid' : expected === false ? 'invalid' : 'unknown'
    expect(result).toMatchObject({ verdict })
  })

  it('finds all three messages that a node lacks for good, of which Maelstrom reports one', () => {
    const history = parseHistory(readFileSync(join(path, 'broadcast-ruby-part', 'history.jsonl.gz')))
    const missing = broadcast(history).anomalies.map(
      ({ message }) => /\d+/.exec(message.replace(/process \d+/, ''))?.[0],
    )
    expect(new Set(missing)).toEqual(new Set(['43', '44', '45']))
  })
})
