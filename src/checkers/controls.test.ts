/**
 * Every checker rejects a planted violation of every kind that it names: the names are read from the sources, the
 * controls from the tests beside them. Names that are put together at run time have tables of their own: cycles of
 * transactions in `transactions/cycles/cycles.test.ts`, monitors in `linearizable/monitors/monitors.test.ts`, sets of session
 * guarantees in `consistency/consistency.test.ts`.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { anomalyNames } from './anomaly-names.test-support.ts'

const FOLDER = import.meta.dirname

/** Sources that are a part of a checker, and the group of tests that has its controls. */
const PART_OF: readonly (readonly [source: RegExp, test: string, group: string])[] = [
  [/^kafka\//, 'kafka/kafka.test.ts', 'kafka'],
  [/^consistency\//, 'consistency/consistency.test.ts', 'weaker models: planted violations'],
  [/^linearizable\/part-result/, 'linearizable/monitors/monitors.test.ts', ''],
  [/^transactions\/(lists\/|verdict)/, 'transactions/list-append.test.ts', 'listAppend'],
  [/^transactions\/registers\//, 'transactions/rw-register.test.ts', 'rwRegister'],
  [/^transactions\/levels\//, 'transactions/levels/levels.test.ts', 'isolation levels'],
  [/^transactions\/workloads\//, 'transactions/workloads/workloads.test.ts', ''],
]

/** Compared with the names in their own sources by their own test. */
const OWN_TEST = /^linearizable\/monitors\//

/** The text of one `describe`, or of the whole file. */
function groupOf(test: string, group: string): string {
  const text = readFileSync(join(FOLDER, test), 'utf8')
  if (group === '') return text
  const start = text.indexOf(`\ndescribe('${group}'`)
  const end = text.indexOf('\ndescribe(', start + 1)
  return start < 0 ? '' : text.slice(start, end < 0 ? undefined : end)
}

function controlsOf(source: string): string {
  const part = PART_OF.find(([pattern]) => pattern.test(source))
  if (part !== undefined) return groupOf(part[1], part[2])
  const name = source.replace(/^.*\/|\.ts$/g, '')
  const camel = name.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase())
  const folder = dirname(source)
  return readdirSync(join(FOLDER, folder))
    .filter((file) => file.endsWith('.test.ts'))
    .flatMap((test) => [groupOf(join(folder, test), name), groupOf(join(folder, test), camel)])
    .join('')
}

const named = Object.entries(anomalyNames()).filter(([source]) => !OWN_TEST.test(source))

describe('negative controls', () => {
  it('are asked of all checkers', () => {
    expect(named.length).toBeGreaterThan(30)
    expect(named.flatMap(([, names]) => names).length).toBeGreaterThan(80)
  })

  it.each(named)('exist for every anomaly of %s', (source, names) => {
    const controls = controlsOf(source)
    expect(names.filter((name) => !controls.includes(`'${name}'`))).toEqual([])
  })
})
