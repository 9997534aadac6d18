/**
 * How often a review is wrong: docs/review.md judges every finding of the examples and of some npm packages. The examples
 * are reviewed again here; a finding that nothing in the page judges counts as a false alarm.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parse, review } from './index.ts'

/** False alarms per 1,000 lines at most. */
const MOST = 2

const ROOT = new URL('../..', import.meta.url).pathname
const PAGE = readFileSync(join(ROOT, 'docs/review.md'), 'utf8')

interface Judged {
  readonly sources: string
  readonly file: string
  readonly rule: string
  readonly isRight: boolean
}

const JUDGED: readonly Judged[] = PAGE.slice(
  PAGE.indexOf('<!-- judged -->'),
  PAGE.indexOf('<!-- /judged -->'),
)
  .split('\n')
  .map((line) => line.split('|').map((cell) => cell.trim()))
  .filter((cells) => cells.length > 5 && cells[3].startsWith('`'))
  .map(([, sources, file, rule, judged]) => ({
    sources,
    file,
    rule: rule.slice(1, -1),
    isRight: judged === 'right',
  }))

/** Rows of the table of sources: name, lines, findings by severity, false alarms. */
const COUNTED = [
  ...PAGE.matchAll(/^\| (.*?) +\| +([\d,]+) \| +(\d+) \| +(\d+) \| +(\d+) \| +(\d+) \| +([\d.]+) \|$/gm),
].map(([, name, lines, block, warn, info, alarms, rate]) => ({
  name,
  lines: Number(lines.replace(',', '')),
  findings: { block: Number(block), warn: Number(warn), info: Number(info) },
  alarms: Number(alarms),
  rate: Number(rate),
}))

function examples(): { path: string; text: string }[] {
  return readdirSync(join(ROOT, 'examples'), { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && /\.[cm]?[jt]sx?$/.test(entry.name))
    .filter((entry) => !/\.d\.ts$|[.-](test|spec|test-support|bench)\./.test(entry.name))
    .filter((entry) => !entry.parentPath.includes('node_modules'))
    .map((entry) => join(entry.parentPath, entry.name))
    .map((path) => ({ path: path.slice(join(ROOT, 'examples/').length), text: readFileSync(path, 'utf8') }))
}

describe('the findings of a review', () => {
  it('are judged in a table of seven code bases, each with few false alarms', () => {
    expect(COUNTED.map(({ name }) => name)).toHaveLength(7)
    for (const { name, lines, alarms, rate } of COUNTED) {
      expect(`${name}: ${((alarms / lines) * 1000).toFixed(1)}`).toBe(`${name}: ${rate.toFixed(1)}`)
      expect(rate).toBeLessThanOrEqual(MOST)
    }
    expect(JUDGED.filter(({ isRight }) => isRight).length).toBeGreaterThan(5)
  })

  it('are rarely wrong in the examples, also if every one that was not judged is', () => {
    const { findings, lines } = review(examples(), parse, { nativeAddon: () => null })
    const isRight = (file: string, rule: string): boolean =>
      JUDGED.some(
        (each) => each.sources === 'examples' && each.file === file && each.rule === rule && each.isRight,
      )
    const wrong = findings.filter(({ file, rule }) => !isRight(file, rule))
    expect(findings.length).toBeGreaterThan(wrong.length) // the planted ones are found
    expect(wrong.length / (lines / 1000)).toBeLessThanOrEqual(MOST)

    const row = COUNTED.find(({ name }) => name.includes('`examples`'))!
    const of = (severity: string): number => findings.filter((each) => each.severity === severity).length
    expect(row.findings).toEqual({ block: of('block'), warn: of('warn'), info: of('info') })
    expect(Math.abs(row.lines - lines) / lines).toBeLessThan(0.2)
    expect(row.alarms).toBe(wrong.length)
  })
})
