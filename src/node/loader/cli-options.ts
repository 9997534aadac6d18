/**
 * Node's command line options of one process: what the host's Node would answer if it had been started with the
 * process's `execArgv` and `NODE_OPTIONS`. Names, types, aliases and defaults are those of the running version.
 */
import type { Internals } from '../internals.ts'

type OptionValue = boolean | number | string | string[]

interface OptionInfo {
  readonly type: number
  readonly defaultIsTrue: boolean
}

/**
 * The switches and lists of a process by full name (`--conditions`), given or not: the host's own (a test runner has
 * some) must not show through. Numbers and strings are there only when given. An option that Node does not know is left
 * out: V8's own are of no consequence here.
 */
export function parseCliOptions(internals: Internals, args: readonly string[]): Map<string, OptionValue> {
  const { getCLIOptionsInfo, types } = internals.internalBinding('options')
  const { options, aliases } = getCLIOptionsInfo() as {
    options: Map<string, OptionInfo>
    aliases: Map<string, string[]>
  }
  const values = new Map<string, OptionValue>()
  for (const [name, { type, defaultIsTrue }] of options) {
    if (type === types.kBoolean) values.set(name, defaultIsTrue)
    else if (type === types.kStringList) values.set(name, [])
  }
  const queue = [...args]
  for (let arg = queue.shift(); arg !== undefined; arg = queue.shift()) {
    if (arg === '--') break
    if (!arg.startsWith('-')) continue
    const [given, inline] = splitAtEquals(arg)
    const alias = aliases.get(given) ?? aliases.get(`${given}=`)
    if (alias !== undefined && alias[0] !== given) {
      queue.unshift(...alias, ...(inline === undefined ? [] : [inline]))
      continue
    }
    const normalized = given.replaceAll('_', '-')
    const negated = normalized.startsWith('--no-') && !options.has(normalized)
    const name = negated ? `--${normalized.slice(5)}` : normalized
    const info = options.get(name)
    if (info === undefined) continue
    if (info.type === types.kBoolean || info.type === types.kNoOp || info.type === types.kV8Option) {
      values.set(name, !negated)
      continue
    }
    const value = inline ?? queue.shift() ?? ''
    if (info.type === types.kStringList) {
      values.set(name, [...(values.get(name) as string[]), value])
    } else {
      values.set(name, info.type === types.kString || info.type === types.kHostPort ? value : Number(value))
    }
  }
  return values
}

function splitAtEquals(arg: string): [string, string | undefined] {
  const at = arg.indexOf('=')
  return at < 0 ? [arg, undefined] : [arg.slice(0, at), arg.slice(at + 1)]
}

/** The words of `NODE_OPTIONS`: separated by spaces, quoted with double quotes, escaped with backslashes. */
export function splitNodeOptions(text: string): string[] {
  const words: string[] = []
  let word = ''
  let quoted = false
  let started = false
  for (let i = 0; i < text.length; i++) {
    const char = text[i]
    if (char === '\\' && quoted) word += text[++i] ?? ''
    else if (char === '"') [quoted, started] = [!quoted, true]
    else if (char === ' ' && !quoted) {
      if (started) words.push(word)
      ;[word, started] = ['', false]
    } else [word, started] = [word + char, true]
  }
  if (started) words.push(word)
  return words
}
