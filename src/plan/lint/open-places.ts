/** What a plan leaves open: TODO and its relatives anywhere in the text, one problem per section. Code is not read. */
import type { Problem } from '../markdown/problem.ts'

const OPEN = /\b(TODO|TBD|FIXME|XXX)\b|\?\?\?/g

export function openPlaces(text: string): Problem[] {
  const found = new Map<string, { line: number; count: number }>()
  let [section, scenario, inCode] = ['header', '', false]
  for (const [index, line] of text.split('\n').entries()) {
    if (/^\s*(```|~~~)/.test(line)) inCode = !inCode
    if (inCode) continue
    const [, top] = /^## (§\S+)/.exec(line) ?? []
    const [, id] = /^### (S\d+)\b/.exec(line) ?? []
    const [, part] = /^#### (§7\.M(?:\.S)?)(?!\S)/.exec(line) ?? []
    if (top !== undefined) [section, scenario] = [top, '']
    if (id !== undefined) [section, scenario] = [`§7 ${id}`, id]
    if (part !== undefined) section = `${part} ${scenario}`
    const count = (line.replace(/`[^`]*`/g, '').match(OPEN) ?? []).length
    if (count === 0) continue
    const known = found.get(section)
    if (known === undefined) found.set(section, { line: index + 1, count })
    else known.count += count
  }
  return [...found].map(([place, { line, count }]) => ({
    rule: 'to-do',
    section: place,
    line,
    message:
      count === 1
        ? 'this is left open: write the value, or a line in §9'
        : `${count} places of this section are left open, the first of them here: write the values, or a line in §9`,
  }))
}
