/** The recorded failures and the figures of docs/fidelity.md are of one run. */
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { subsystemOf } from './subsystems.ts'

const page = readFileSync(new URL('../../docs/fidelity.md', import.meta.url), 'utf8')
const recorded = JSON.parse(readFileSync(new URL('failures.json', import.meta.url), 'utf8')) as {
  node: string
  failures: { file: string; reason: string }[]
}

/** The rows `| subsystem | applicable | pass | fail | excluded | % | bar |`. */
const rows = [...page.matchAll(/^\| (\w+) +\| +\d+ \| +\d+ \| +(\d+) \| +\d+ \| +[\d.]+ \| +\d+ \|$/gm)]

describe('the recorded failures of Node’s own tests', () => {
  it('are those of the version that the page names, each with what it said', () => {
    expect(page).toContain(`Node ${recorded.node}, one run of`)
    expect(recorded.failures.filter(({ reason }) => reason === '')).toEqual([])
  })

  it('are as many per subsystem as its table says', () => {
    expect(rows.length).toBeGreaterThan(20)
    const counts: Record<string, number> = {}
    for (const { file } of recorded.failures) {
      const { name } = subsystemOf(`/${file}`)!
      counts[name] = (counts[name] ?? 0) + 1
    }
    expect(Object.fromEntries(rows.map(([, name]) => [name, counts[name] ?? 0]))).toEqual(
      Object.fromEntries(rows.map(([, name, fail]) => [name, Number(fail)])),
    )
  })
})
