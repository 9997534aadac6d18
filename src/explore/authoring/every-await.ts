/**
 * `everyAwait` rewrites chosen files so that each `await` is a scheduling point, for code whose awaits stand for I/O that a
 * test has replaced: `await x` becomes `await globalThis.__wavetankAwait(x)`, and the continuation is an event like any
 * other. `for await` stays as it is; its source is usually real I/O.
 *
 * Only the continuation after an await is delayed, as by I/O behind it. Code that relies on an await of a plain value to end
 * within the same turn of the event loop sees schedules that Node would not produce.
 */
import { parse, type AnyNode } from 'acorn'
import { UsageError } from '../../kernel/errors.ts'
import type { SourceTransform } from '../../node/index.ts'

/** Which files: all of the project's own, or those whose path ends with, or lies below, one of these. */
export type EveryAwait = boolean | readonly string[]

/** The name under which rewritten code finds the run. */
export const AWAIT_HOOK = '__wavetankAwait'

interface Insertion {
  readonly at: number
  readonly text: string
}

export function everyAwaitTransform(files: EveryAwait): SourceTransform | undefined {
  if (files === false) return undefined
  const chosen = files === true ? null : files.map(checked)
  const isChosen = (path: string): boolean =>
    chosen === null
      ? !/[\\/]node_modules[\\/]/.test(path)
      : chosen.some((part) => path.endsWith(`/${part}`) || path.includes(`/${part}/`))
  return {
    id: `await ${chosen === null ? '*' : chosen.join(' ')}`,
    apply(source, filename) {
      if (!isChosen(filename) || !source.includes('await')) return undefined
      const insertions = findAwaits(source)
      return insertions.length === 0 ? undefined : rewrite(source, insertions)
    },
  }
}

function checked(part: string): string {
  const path = part.replace(/^(\.?\/)+|\/+$/g, '')
  if (path !== '') return path
  throw new UsageError(
    'ERR_WAVETANK_EVERY_AWAIT',
    `everyAwait: expected true or paths such as 'src/bank.ts' or 'node_modules/pool', got "${part}"`,
  )
}

/** In the order of their places; empty for a file that does not parse: the compiler reports that better. */
function findAwaits(source: string): Insertion[] {
  const insertions: Insertion[] = []
  const program = parsed(source)
  if (program !== null) {
    visit(program, (node) => {
      if (node.type !== 'AwaitExpression') return
      const { start, end } = node.argument
      insertions.push({ at: start, text: `globalThis.${AWAIT_HOOK}((` }, { at: end, text: '))' })
    })
  }
  return insertions.sort((a, b) => a.at - b.at || Number(a.text !== '))') - Number(b.text !== '))'))
}

function parsed(source: string): AnyNode | null {
  for (const sourceType of ['module', 'script'] as const) {
    try {
      return parse(source, {
        sourceType,
        ecmaVersion: 'latest',
        allowReturnOutsideFunction: true,
        allowHashBang: true,
      })
    } catch {
      // the other kind, perhaps
    }
  }
  return null
}

function visit(node: AnyNode, look: (node: AnyNode) => void): void {
  look(node)
  for (const value of Object.values(node) as unknown[]) {
    for (const child of Array.isArray(value) ? (value as unknown[]) : [value]) {
      if (typeof (child as AnyNode | null)?.type === 'string') visit(child as AnyNode, look)
    }
  }
}

/** The insertions keep the lines; the source map corrects the columns, word by word. */
function rewrite(source: string, insertions: readonly Insertion[]): { code: string; map: string } {
  let code = ''
  let next = 0
  const mappings: string[] = []
  let offset = 0
  let last = { line: 0, column: 0 }
  for (const [line, text] of source.split('\n').entries()) {
    let shift = 0
    let written = ''
    let copied = 0
    let generated = 0
    const segments: string[] = []
    for (const { index } of text.matchAll(/[\w$]+|[^\s\w$]/g)) {
      while (next < insertions.length && insertions[next].at <= offset + index) {
        const { at, text: added } = insertions[next++]
        written += text.slice(copied, at - offset) + added
        copied = at - offset
        shift += added.length
      }
      const column = index + shift
      segments.push(vlq([column - generated, 0, line - last.line, index - last.column]))
      generated = column
      last = { line, column: index }
    }
    while (next < insertions.length && insertions[next].at <= offset + text.length) {
      const { at, text: added } = insertions[next++]
      written += text.slice(copied, at - offset) + added
      copied = at - offset
    }
    code += `${line === 0 ? '' : '\n'}${written}${text.slice(copied)}`
    mappings.push(segments.join(','))
    offset += text.length + 1
  }
  const map = { version: 3, sources: ['source'], names: [], mappings: mappings.join(';') }
  return { code, map: JSON.stringify(map) }
}

const BASE64 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'

function vlq(numbers: readonly number[]): string {
  let text = ''
  for (const number of numbers) {
    let rest = number < 0 ? (-number << 1) | 1 : number << 1
    do {
      const digit = rest & 31
      rest >>>= 5
      text += BASE64[rest > 0 ? digit | 32 : digit]
    } while (rest > 0)
  }
  return text
}
