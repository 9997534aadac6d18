/** The words of one simple shell command: quotes, escapes, variables and leading assignments; no pipes or lists. */

export interface ShellCommand {
  readonly words: readonly string[]
  readonly assignments: Readonly<Record<string, string>>
}

/** Parses a line; a string says what is not understood. */
export function parseShell(line: string, env: Readonly<Record<string, string>>): ShellCommand | string {
  const words: string[] = []
  const assignments: Record<string, string> = {}
  let word: string | null = null
  let quoted = false
  const flush = (): void => {
    if (word === null) return
    const assignment = /^([A-Za-z_]\w*)=([\s\S]*)$/.exec(word)
    if (assignment !== null && words.length === 0 && !quoted) assignments[assignment[1]] = assignment[2]
    else words.push(word)
    word = null
    quoted = false
  }
  for (let i = 0; i < line.length; i++) {
    const char = line[i]
    if (char === "'") {
      const end = line.indexOf("'", i + 1)
      if (end < 0) return 'Syntax error: Unterminated quoted string'
      word = (word ?? '') + line.slice(i + 1, end)
      i = end
    } else if (char === '"') {
      word ??= ''
      for (i++; line[i] !== '"'; i++) {
        if (i >= line.length) return 'Syntax error: Unterminated quoted string'
        if (line[i] === '\\' && '"\\$`'.includes(line[i + 1])) word += line[++i]
        else if (line[i] === '$') {
          const [value, next] = variable(line, i, env)
          word += value
          i = next
        } else word += line[i]
      }
    } else if (char === '\\') word = (word ?? '') + (line[++i] ?? '')
    else if (char === '$') {
      const [value, next] = variable(line, i, env)
      word = (word ?? '') + value
      i = next
    } else if (/\s/.test(char)) flush()
    else if ('|&;<>()`'.includes(char)) return `Syntax error: "${char}" is not understood by the tank's shell`
    else word = (word ?? '') + char
  }
  flush()
  return { words, assignments }
}

/** The value of the variable that begins at a dollar sign, and the place of its last character. */
function variable(line: string, at: number, env: Readonly<Record<string, string>>): [string, number] {
  const match = /^\$(?:\{(\w+)\}|(\w+))/.exec(line.slice(at))
  if (match === null) return ['$', at]
  return [env[match[1] ?? match[2]] ?? '', at + match[0].length - 1]
}
