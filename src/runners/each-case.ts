/**
 * The cases of `race.each(table)` and `describe.each(table)` and their titles, as vitest makes them. A group must have the
 * same title inside the world, where its races are looked up, as in the runner. That includes a quirk: `%%` takes a value
 * too, and vitest appends it (`100% undefined` if there is none left).
 */
import { format, inspect } from 'node:util'
import { floor } from '../kernel/arithmetic.ts'

/** The values of each case, from the arguments of `each`: an array, or a template with a heading. */
export function casesOf([table, ...values]: readonly unknown[]): readonly unknown[][] {
  const rows = table as readonly unknown[]
  if (!('raw' in rows)) return rows.map((row) => (Array.isArray(row) ? (row as unknown[]) : [row]))
  const names = String(rows[0])
    .split('|')
    .map((name) => name.trim())
  return Array.from({ length: floor(values.length / names.length) }, (_, row) => [
    Object.fromEntries(names.map((name, column) => [name, values[row * names.length + column]])),
  ])
}

const VALUE = /%[sdifjoOc%]/g

/** `%s` and its like stand for the values in turn, `%#` and `%$` for the number of the case, `$name` for a property. */
export function caseTitle(template: string, values: readonly unknown[], index: number): string {
  const numbered = template.replace(/%([%#$])/g, (whole, sign: string) =>
    sign === '%' ? whole : String(sign === '#' ? index : index + 1),
  )
  let next = 0
  let title = ''
  let from = 0
  for (const { 0: placeholder, index: at } of numbered.matchAll(VALUE)) {
    title += withProperties(numbered.slice(from, at), values) + formatted(placeholder, values[next++])
    from = at + placeholder.length
  }
  return title + withProperties(numbered.slice(from), values)
}

/** Unlike Node, vitest shows no hidden properties for `%o`. */
function formatted(placeholder: string, value: unknown): string {
  return placeholder === '%o' || placeholder === '%O' ? inspect(value) : format(placeholder, value)
}

function withProperties(text: string, values: readonly unknown[]): string {
  return text.replace(/\$([$\w.]+)/g, (whole, path: string) => {
    const [first] = values
    const isIndex = /^\d+$/.test(path)
    if (!isIndex && (typeof first !== 'object' || first === null)) return whole
    const found = path
      .split('.')
      .reduce((value, key) => (value as Record<string, unknown> | undefined)?.[key], isIndex ? values : first)
    return inspect(found)
  })
}
