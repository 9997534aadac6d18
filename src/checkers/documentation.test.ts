import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { anomalyNames } from './anomaly-names.test-support.ts'
import * as checkers from './index.ts'

const page = readFileSync(join(import.meta.dirname, '../../docs/checkers.md'), 'utf8')

/** Names as the page shortens them: `(int-)poll-skip` is two, and orders are explained once. */
const written = (name: string): string =>
  name.replace(/^int-(?!send-skip)/, '(int-)').replace(/-(process|realtime)$/, '')

const undocumented = (names: readonly string[]): string[] =>
  names.filter((name) => !page.includes(`\`${name}\``))

describe('docs/checkers.md', () => {
  it('names every checker of the shelf', () => {
    const names = readdirSync(import.meta.dirname, { encoding: 'utf8' })
      .filter((name) => /^[a-z-]+\.ts$/.test(name))
      .map((name) => name.replace('.ts', '').replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase()))
      .filter((name) => name in checkers)
    expect(names.length).toBeGreaterThanOrEqual(20)
    expect(undocumented(names)).toEqual([])
  })

  it('names every checker of transactions and of weaker models, and every model', () => {
    const functions = (module: object): string[] =>
      Object.entries(module).flatMap(([name, value]) => (typeof value === 'function' ? [name] : []))
    const aids = ['recentValues']
    expect(undocumented(functions(checkers.consistency).filter((name) => !aids.includes(name)))).toEqual([])
    expect(undocumented(functions(checkers.models))).toEqual([])
    expect(
      undocumented(['listAppend', 'rwRegister', 'closedPredicate', 'serializable', 'readAtomic']),
    ).toEqual([])
  })

  it('names every anomaly that can be found', () => {
    const names = Object.values(anomalyNames()).flat()
    expect(names.length).toBeGreaterThan(100)
    expect(names.filter((name) => !page.includes(written(name)))).toEqual([])
  })

  it('says of models only what the lattice says', () => {
    const lines = /```text\n([^`]*)```/.exec(page)![1].trim().split('\n')
    expect(lines.length).toBeGreaterThan(5)
    for (const line of lines) {
      const steps = line.split(' > ').map((names) => names.split(', '))
      steps.slice(1).forEach((weaker, i) => {
        for (const stronger of steps[i]) {
          const implied = checkers.impliedModels([stronger])
          for (const name of weaker) {
            const [canonical] = checkers.impliedModels([name])
            expect(implied).toContain(canonical)
          }
        }
      })
    }
    expect(page).toContain(`any of ${checkers.CONSISTENCY_MODELS.length} names`)
  })
})
