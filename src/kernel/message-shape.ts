/**
 * The shape of a message: its words without the values that differ from run to run. Two failures whose messages have one
 * shape are one bug as far as the message can tell: `0-7 is 27, but must be null` and `1-3 is null, but must be 4 or 9`
 * both have the shape `# is #, but must be #`.
 *
 * Values are quoted texts, JSON, numbers, words that contain a digit (`kv3`, `key-17`, a UUID), `null`, `true` and the
 * like, single letters, and lists of any of these. A name without a digit (`key alpha`) cannot be told from a word of the
 * sentence: it stays, and makes two bugs of one. That is the safe side, since a bug that hides another is never seen.
 */

const LONGEST = 120

/** In this order: each rule may rely on the ones before. */
const RULES: readonly (readonly [RegExp, string])[] = [
  [/"(?:[^"\\]|\\.)*"|`[^`]*`|(?<!\w)'[^']*'(?!\w)|“[^”]*”/g, '#'],
  [/\[[^[\]{}]*\]|\{[^[\]{}]*\}/g, '#'],
  [/\[[^[\]{}]*\]|\{[^[\]{}]*\}/g, '#'], // one level of nesting
  [/(?<![\w#])[-+]?[\w./:@%-]*\d[\w./:@%-]*/g, '#'],
  [/\b(?:null|undefined|true|false|NaN|nothing|none)\b/g, '#'],
  [/(?<![\w'’])[b-zB-HJ-Z](?![\w'’])/g, '#'], // not the words `a`, `A` and `I`
  [/(?<![\w.-])\w+(?:,\w+)+/g, '#'], // list.join()
  [/#(?:(?:, | or | and |,|→| → |-|:|\/| )#)+/g, '#'],
  [/# (?!does\b|was\b|has\b)(\w{2,})s\b/g, '# $1'], // `1 operation`, `2 operations`
]

export function messageShape(message: string): string {
  const [line] = message.trim().split('\n', 1)
  let shape = line
  for (const [pattern, replacement] of RULES) shape = shape.replace(pattern, replacement)
  return shape.replace(/\s+/g, ' ').slice(0, LONGEST)
}
