/**
 * The part of the shell's language that programs use to start others: simple commands with quotes, escapes, variables,
 * leading assignments and redirections; pipelines, lists with `&&`, `||` and `;`, and subshells. No functions, loops,
 * substitutions, globs or jobs.
 */

export interface Redirection {
  readonly fd: number
  /** `dup` gives it what another descriptor is; a target of `-` closes it. */
  readonly kind: 'read' | 'write' | 'append' | 'dup'
  readonly target: string
}

export interface ShellCommand {
  readonly words: readonly string[]
  readonly assignments: Readonly<Record<string, string>>
  readonly redirections: readonly Redirection[]
  /** The text of a subshell, in place of words. */
  readonly subshell: string | null
}

export interface Pipeline {
  readonly commands: readonly ShellCommand[]
  /** Whether it runs, given how the one before it ended. */
  readonly when: 'always' | 'success' | 'failure'
}

type Token =
  | { readonly type: 'word'; readonly text: string; readonly quoted: boolean; readonly glued: boolean }
  | { readonly type: 'operator'; readonly text: string }
  | { readonly type: 'subshell'; readonly text: string }

type Environment = Readonly<Record<string, string>>

const OPERATOR = /^(?:&&|\|\||>>|>&|<&|[|;<>\n])/

class ShellSyntaxError extends Error {}

/** Parses a line; a string says what is not understood. */
export function parseShell(line: string, env: Environment): readonly Pipeline[] | string {
  try {
    return parse(tokens(line, env))
  } catch (error) {
    if (error instanceof ShellSyntaxError) return `Syntax error: ${error.message}`
    throw error
  }
}

function tokens(line: string, env: Environment): Token[] {
  const found: Token[] = []
  let at = 0
  while (at < line.length) {
    const rest = line.slice(at)
    const operator = OPERATOR.exec(rest)?.[0]
    if (operator !== undefined) {
      found.push({ type: 'operator', text: operator })
      at += operator.length
    } else if (/^\s/.test(rest)) at++
    else if (line[at] === '(') {
      const end = closing(line, at)
      found.push({ type: 'subshell', text: line.slice(at + 1, end) })
      at = end + 1
    } else if ('&)`'.includes(line[at])) {
      throw new ShellSyntaxError(`"${line[at]}" is not understood by the tank's shell`)
    } else {
      const word = readWord(line, at, env)
      found.push({ type: 'word', ...word, glued: '<>'.includes(line[word.end] ?? ' ') })
      at = word.end
    }
  }
  return found
}

/** The place of the parenthesis that closes the one at a place. */
function closing(line: string, open: number): number {
  let depth = 0
  let quote = ''
  for (let i = open; i < line.length; i++) {
    const char = line[i]
    if (quote !== '') {
      if (char === '\\' && quote === '"') i++
      else if (char === quote) quote = ''
    } else if (char === '"' || char === "'") quote = char
    else if (char === '(') depth++
    else if (char === ')' && --depth === 0) return i
  }
  throw new ShellSyntaxError('end of file unexpected (expecting ")")')
}

function readWord(
  line: string,
  start: number,
  env: Environment,
): { text: string; quoted: boolean; end: number } {
  let text = ''
  let quoted = false
  let i = start
  for (; i < line.length && !/[\s|&;<>()`]/.test(line[i]); i++) {
    const char = line[i]
    if (char === "'") {
      const end = line.indexOf("'", i + 1)
      if (end < 0) throw new ShellSyntaxError('Unterminated quoted string')
      text += line.slice(i + 1, end)
      quoted = true
      i = end
    } else if (char === '"') {
      quoted = true
      for (i++; line[i] !== '"'; i++) {
        if (i >= line.length) throw new ShellSyntaxError('Unterminated quoted string')
        if (line[i] === '\\' && '"\\$`'.includes(line[i + 1])) text += line[++i]
        else if (line[i] === '$') {
          const [value, next] = variable(line, i, env)
          text += value
          i = next
        } else text += line[i]
      }
    } else if (char === '\\') text += line[++i] ?? ''
    else if (char === '$') {
      const [value, next] = variable(line, i, env)
      text += value
      i = next
    } else text += char
  }
  return { text, quoted, end: i }
}

/** The value of the variable that begins at a dollar sign, and the place of its last character. */
function variable(line: string, at: number, env: Environment): [string, number] {
  const match = /^\$(?:\{(\w+)\}|(\w+))/.exec(line.slice(at))
  if (match === null) return ['$', at]
  return [env[match[1] ?? match[2]] ?? '', at + match[0].length - 1]
}

const CONDITIONS = { '&&': 'success', '||': 'failure', ';': 'always', '\n': 'always' } as const

function parse(all: readonly Token[]): Pipeline[] {
  const pipelines: Pipeline[] = []
  let when: Pipeline['when'] = 'always'
  let commands: ShellCommand[] = []
  let next = 0
  const separator = (): string | null => {
    const token = all[next]
    return token === undefined
      ? ''
      : token.type === 'operator' && !/[<>]/.test(token.text)
        ? token.text
        : null
  }
  while (next < all.length) {
    const begin = next
    while (separator() === null) next++
    const end = separator()!
    if (next > begin) commands.push(command(all.slice(begin, next)))
    else if (end !== ';' && end !== '\n') throw new ShellSyntaxError(`"${end}" unexpected`)
    next++
    if (end === '|') continue
    if (commands.length > 0) pipelines.push({ commands, when })
    commands = []
    if (end !== '') when = CONDITIONS[end as keyof typeof CONDITIONS]
  }
  if (commands.length > 0) throw new ShellSyntaxError('end of file unexpected')
  return pipelines
}

function command(all: readonly Token[]): ShellCommand {
  const words: string[] = []
  const assignments: Record<string, string> = {}
  const redirections: Redirection[] = []
  let subshell: string | null = null
  for (let i = 0; i < all.length; i++) {
    const token = all[i]
    if (token.type === 'subshell') {
      subshell = token.text
      continue
    }
    const numbered = token.type === 'word' && token.glued && /^\d$/.test(token.text)
    if (token.type === 'operator' || numbered) {
      const operator = all[numbered ? ++i : i].text
      const target = all[++i]
      if (target?.type !== 'word') throw new ShellSyntaxError('redirection without a name')
      const fd = numbered ? Number(token.text) : operator.startsWith('<') ? 0 : 1
      redirections.push({ fd, kind: kindOf(operator), target: target.text })
      continue
    }
    const assignment = /^([A-Za-z_]\w*)=([^]*)$/.exec(token.text)
    if (assignment !== null && words.length === 0) assignments[assignment[1]] = assignment[2]
    else words.push(token.text)
  }
  return { words, assignments, redirections, subshell }
}

function kindOf(operator: string): Redirection['kind'] {
  if (operator.endsWith('&')) return 'dup'
  return operator === '<' ? 'read' : operator === '>' ? 'write' : 'append'
}
