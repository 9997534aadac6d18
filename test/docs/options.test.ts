/**
 * Every option that users can give is in docs/simulation.md, in the section that it belongs to. The names come from the
 * tables by which options are validated; the compiler holds those to the public types.
 */
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { CONFIG } from '../../src/host/project.ts'
import { SIMULATE_OPTIONS } from '../../src/host/simulate-options.ts'
import {
  AIMED,
  ATTRITION,
  BUDGET,
  DEFINITION,
  LIMITS,
  LINKS,
  NEEDS,
  PROCESS,
  WEATHER,
  WORKLOAD,
} from '../../src/sim/authoring/validation.ts'

const PAGE = readFileSync(new URL('../../docs/simulation.md', import.meta.url), 'utf8')

const TABLES: Readonly<Record<string, readonly object[]>> = {
  '# Simulations': [DEFINITION],
  '## Processes': [PROCESS],
  '## Workload': [WORKLOAD],
  '## Faults': [BUDGET, WEATHER, LINKS, ATTRITION],
  '## Situations': [NEEDS],
  '## Aimed faults': [AIMED],
  '## Limits': [LIMITS],
  '## From code': [SIMULATE_OPTIONS],
  '## Configuration': [CONFIG],
}

/** The text from a heading to the next heading of the second level. */
function section(heading: string): string {
  const from = PAGE.indexOf(`${heading}\n`)
  expect(from, `docs/simulation.md has no section ${heading}`).toBeGreaterThanOrEqual(0)
  const to = PAGE.indexOf('\n## ', from + heading.length)
  return PAGE.slice(from, to < 0 ? PAGE.length : to)
}

/** Names in code quotes: `spanMs`, or one of `args`, `env`. */
function documented(text: string): Set<string> {
  return new Set([...text.matchAll(/`([A-Za-z]+)`/g)].map(([, name]) => name))
}

describe('docs/simulation.md', () => {
  it.each(Object.entries(TABLES))('documents every option of %s', (heading, tables) => {
    const names = documented(section(heading))
    const options = tables.flatMap((table) => Object.keys(table))
    expect(options.length).toBeGreaterThan(1)
    expect(options.filter((name) => !names.has(name))).toEqual([])
  })

  it('would miss an option that is not there', () => {
    expect(documented(section('## Limits')).has('bananas')).toBe(false)
  })

  it('has every fault family', () => {
    const families = section('## Faults')
    const { families: table } = WEATHER
    const names = table.expected.replace('an object of ', '').split(', ')
    expect(names.length).toBeGreaterThan(15)
    expect(names.filter((name) => !families.includes(`\`${name}\``))).toEqual([])
  })
})
