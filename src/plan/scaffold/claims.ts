/**
 * Claims that a project makes, quoted with file and line. Sentences of documentation and doc comments that promise
 * something are quoted as they stand; names of tests and of errors only suggest a claim, so they are marked as inferred.
 * Nothing is made up: a claim that is not written anywhere is not found here.
 */
export interface GatheredClaim {
  readonly text: string
  readonly file: string
  readonly line: number
  readonly inferred: boolean
  /** A guess by keywords, to be checked. */
  readonly category: string
}

/** Words of a promise. */
const PROMISE =
  /\b(never|always|must( not)?|guarantee[sd]?|at most|at least|exactly[- ]once|atomic(ally)?|durabl[ey]|surviv\w+|persist\w*|consisten\w+|linearizab\w+|serializab\w+|isolat\w+|idempoten\w+|in (the )?order(?! (to|that)\b)|ordered|fifo|monoton\w+|no (two|duplicate|lost)|only (one|once)|cannot|is not lost|expire\w*|rejects?|refuses?|retr(y|ies)|thread-safe|fair(ly)?)\b/i

const CATEGORIES: readonly (readonly [RegExp, string])[] = [
  [/durab|surviv|persist|disk|fsync|crash|lost|acknowledg/i, 'durability'],
  [/idempoten|exactly|duplicate|retr(y|ies)|\bonce\b/i, 'idempotency'],
  [/isolat|transaction|serializ|tenant/i, 'isolation'],
  [/\border(?! (to|that)\b)|ordered|ordering|fifo|monoton|sequence/i, 'ordering'],
  [/member|leader|elect|quorum/i, 'membership'],
  [/latency|throughput|\bms\b|fast|slow|timeout|time-out|expire/i, 'performance-slo'],
  [/fair|starv/i, 'fairness'],
  [/auth|permission|forbid|tenant|refuse/i, 'boundary'],
]

export function categoryOf(text: string): string {
  return CATEGORIES.find(([pattern]) => pattern.test(text))?.[1] ?? 'safety'
}

/** Documents for developers and lawyers. */
const NO_PROMISES =
  /(^|\/)(licen[cs]e|change-?log|changes|history|contributing|code_of_conduct|security)\b[^/]*$/i

export function claimsIn(file: string, text: string): GatheredClaim[] {
  if (NO_PROMISES.test(file)) return []
  if (/\.(md|markdown|txt)$/i.test(file)) return promises(file, proseLines(text))
  if (!/\.[cm]?[jt]sx?$/.test(file)) return []
  return isTestFile(file)
    ? titlesIn(text).flatMap((title) => suggestedBy(file, title))
    : [...promises(file, commentLines(text)), ...errorNames(file, text)]
}

export function isTestFile(file: string): boolean {
  return /\.(test|spec|race|sim)\.[cm]?[jt]sx?$|(^|\/)(tests?|__tests__)\//.test(file)
}

interface SourceLine {
  readonly text: string
  readonly line: number
}

/** Makes the line before it a heading, or parts two paragraphs. */
const UNDERLINE = /^\s*(=+|-+)\s*$/

function proseLines(text: string): SourceLine[] {
  let inCode = false
  const lines = text.split('\n')
  return lines.flatMap((line, index) => {
    if (/^\s*(```|~~~)/.test(line)) inCode = !inCode
    const isHeading = UNDERLINE.test(line) || UNDERLINE.test(lines[index + 1] ?? '')
    if (inCode || isHeading || /^\s*([#|]|```|~~~|<|\[?!\[|> *\[!\w+\] *$)/.test(line))
      return [{ text: '', line: index + 1 }]
    return [{ text: line.replace(/^\s*([-*+>]|\d+\.)\s+/, '').trim(), line: index + 1 }]
  })
}

/** Lines of doc comments, without their stars. */
function commentLines(text: string): SourceLine[] {
  const lines: SourceLine[] = []
  for (const { 0: comment, index } of text.matchAll(/\/\*\*[^]*?\*\//g)) {
    const first = text.slice(0, index).split('\n').length
    comment
      .split('\n')
      .forEach((line, offset) =>
        lines.push({ text: line.replace(/^\s*\/?\*+\/?\s?|\*\/\s*$/g, '').trim(), line: first + offset }),
      )
    lines.push({ text: '', line: 0 })
  }
  return lines
}

/** Sentences with a word of promise, each at the line on which it begins. */
function promises(file: string, lines: readonly SourceLine[]): GatheredClaim[] {
  const found: GatheredClaim[] = []
  let sentence = ''
  let begun = 0
  const end = (): void => {
    const text = sentence.replace(/\s+/g, ' ').trim()
    if (PROMISE.test(text) && !/\bTODO\b/.test(text) && text.length > 15 && text.length < 300)
      found.push({ text, file, line: begun, inferred: false, category: categoryOf(text) })
    sentence = ''
  }
  for (const { text, line } of lines) {
    if (text === '') {
      end()
      continue
    }
    for (const part of text.split(/(?<=[.!?])\s+/)) {
      if (sentence === '') begun = line
      sentence += `${part} `
      if (/[.!?]$/.test(part)) end()
    }
  }
  end()
  return found
}

export interface TestTitle {
  readonly declares: 'test' | 'simulation'
  readonly text: string
  readonly line: number
}

/** The tests, races and simulations that a file declares. */
export function titlesIn(text: string): TestTitle[] {
  const titles = text.matchAll(
    /\b(it|test|race|simulation)(?:\.each\([^]*?\))?\(\s*(['"`])((?:(?!\2)[^\\\n])+)\2/g,
  )
  return [...titles].map((match) => ({
    declares: match[1] === 'simulation' ? 'simulation' : 'test',
    text: match[3],
    line: lineAt(text, match.index),
  }))
}

/** The title of a test says what is expected; the name of a simulation is that of a system. */
function suggestedBy(file: string, { declares, text, line }: TestTitle): GatheredClaim[] {
  if (declares === 'simulation') return []
  return [{ text: `test: ${text}`, file, line, inferred: true, category: categoryOf(text) }]
}

function errorNames(file: string, text: string): GatheredClaim[] {
  const names = [...text.matchAll(/\bclass (\w+Error)\b|['"](ERR_[A-Z0-9_]+)['"]/g)]
  const seen = new Set<string>()
  return names.flatMap((match) => {
    const name = match[1] ?? match[2]
    if (seen.has(name)) return []
    seen.add(name)
    return [
      {
        text: `error: ${name} is raised`,
        file,
        line: lineAt(text, match.index),
        inferred: true,
        category: categoryOf(name),
      },
    ]
  })
}

export function lineAt(text: string, offset: number): number {
  return text.slice(0, offset).split('\n').length
}
