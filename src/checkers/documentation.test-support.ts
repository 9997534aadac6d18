/** The tables of docs/checkers.md that come from the catalogue, as lines of Markdown. */
import {
  CONSISTENCY,
  functionName,
  ISOLATION,
  MODELS,
  WORKLOADS,
  type CheckerEntry,
  type Family,
} from './catalogue.ts'
import type { OptionRule } from './options.ts'

type Rows = () => Promise<string[]>

const table = (head: readonly string[], rows: readonly (readonly string[])[]): string[] =>
  [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`)

function checkersOf(family: Family): Rows {
  const entries = [...WORKLOADS, ...ISOLATION].filter((entry) => entry.family === family)
  const row = (entry: CheckerEntry): string[] => [
    `\`${functionName(entry)}\``,
    entry.question,
    entry.looksAt,
    entry.anomalies,
  ]
  return () => Promise.resolve(table(['checker', 'the question', 'looks at', 'anomalies'], entries.map(row)))
}

/** Options of everything that has some; limits and those that several share are named once per checker. */
async function optionRows(): Promise<string[]> {
  const rows: string[][] = []
  const add = (name: string, options: Readonly<Record<string, OptionRule>>): void => {
    for (const [option, { about, required }] of Object.entries(options)) {
      if (option === 'budget') continue
      rows.push([`\`${name}\``, `\`${option}\`${required === true ? ' (required)' : ''}`, about])
    }
  }
  for (const entry of [...WORKLOADS, ...ISOLATION])
    add(`${entry.family}.${functionName(entry)}`, (await entry.load()).options)
  const named = new Set<unknown>()
  for (const entry of CONSISTENCY) {
    const { function: check, options } = await entry.load()
    if (named.has(check)) continue
    named.add(check)
    const name = (check as { name: string }).name
    add(name === 'linearizable' ? name : `consistency.${name}`, options)
  }
  for (const entry of MODELS) add(`models.${functionName(entry)}`, (await entry.load()).options)
  return table(['checker or model', 'option', 'meaning'], rows)
}

export function documentedTables(): Record<string, Rows> {
  return {
    objects: checkersOf('objects'),
    promises: checkersOf('promises'),
    service: checkersOf('service'),
    transactions: checkersOf('transactions'),
    isolation: checkersOf('isolation'),
    consistency: () =>
      Promise.resolve(
        table(
          ['`--consistency-model`', 'the question', 'of', 'anomalies'],
          CONSISTENCY.map(({ name, question, of, anomalies }) => [`\`${name}\``, question, of, anomalies]),
        ),
      ),
    models: () =>
      Promise.resolve(
        table(
          ['model', 'functions', 'note'],
          MODELS.map((entry) => [`\`${functionName(entry)}\``, entry.functions, entry.note ?? '']),
        ),
      ),
    options: optionRows,
  }
}
