import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { anomalyNames } from './anomaly-names.test-support.ts'
import { CONSISTENCY, functionName, ISOLATION, MODELS, WORKLOADS } from './catalogue.ts'
import { documentedTables } from './documentation.test-support.ts'
import * as checkers from './index.ts'

const page = readFileSync(join(import.meta.dirname, '../../docs/checkers.md'), 'utf8')
const { impliedModels, CONSISTENCY_MODELS } = checkers.transactions

/** Names as the page shortens them: `(int-)poll-skip` is two, and orders are explained once. */
const written = (name: string): string =>
  name.replace(/^int-(?!send-skip)/, '(int-)').replace(/-(process|realtime)$/, '')

/** A table without the blanks and dashes by which prettier aligns it. */
const plain = (text: string): string => text.replace(/-{2,}/g, '-').replace(/ +/g, ' ')

describe('docs/checkers.md', () => {
  it.each(Object.entries(documentedTables()))(
    'has the table "%s" as the catalogue has it',
    async (_, rows) => {
      const table = (await rows()).join('\n')
      expect(plain(page), `put this into docs/checkers.md and run prettier:\n${table}`).toContain(
        plain(table),
      )
    },
  )

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
          const implied = impliedModels([stronger])
          for (const name of weaker) {
            const [canonical] = impliedModels([name])
            expect(implied).toContain(canonical)
          }
        }
      })
    }
    expect(page).toContain(`any of ${CONSISTENCY_MODELS.length} names`)
  })
})

describe('the namespaces of wavetank/checkers', () => {
  const { consistency, isolation, models, objects, promises, service, transactions } = checkers
  /** What stands beside the checkers in a namespace. */
  const AIDS = new Set([
    'recentValues',
    'forbiddenAnomalies',
    'impliedAnomalies',
    'impliedModels',
    'modelBoundary',
  ])
  const functionsOf = (namespace: object): string[] =>
    Object.entries(namespace).flatMap(([name, value]) =>
      typeof value === 'function' && !AIDS.has(name) ? [name] : [],
    )

  it.each(Object.entries({ objects, promises, service, transactions, isolation }))(
    '%s holds exactly what the catalogue lists',
    async (family, namespace) => {
      const entries = [...WORKLOADS, ...ISOLATION].filter((entry) => entry.family === family)
      expect(functionsOf(namespace).sort()).toEqual(entries.map(functionName).sort())
      for (const entry of entries) {
        const { function: check } = await entry.load()
        expect(check).toBe((namespace as Record<string, unknown>)[functionName(entry)])
      }
    },
  )

  it('models and consistency hold exactly what the catalogue lists', async () => {
    expect(functionsOf(models).sort()).toEqual(MODELS.map(functionName).sort())
    for (const entry of MODELS)
      expect((await entry.load()).function).toBe((models as Record<string, unknown>)[functionName(entry)])
    const listed = await Promise.all(CONSISTENCY.map(async (entry) => (await entry.load()).function))
    const exported = new Set<unknown>([
      checkers.linearizable,
      ...functionsOf(consistency).map((name) => (consistency as Record<string, unknown>)[name]),
    ])
    expect(new Set(listed)).toEqual(exported)
  })
})
