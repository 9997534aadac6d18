/** The arguments of a binding: words with blanks between, quoted as in a shell. Nothing is expanded. */

/** Null if a quote is not closed. */
export function commandWords(text: string): string[] | null {
  const words: string[] = []
  let word: string | null = null
  let quote: string | null = null
  for (const character of text) {
    if (quote !== null) {
      if (character === quote) quote = null
      else word += character
    } else if (character === "'" || character === '"') {
      quote = character
      word ??= ''
    } else if (/\s/.test(character)) {
      if (word !== null) words.push(word)
      word = null
    } else word = `${word ?? ''}${character}`
  }
  if (word !== null) words.push(word)
  return quote === null ? words : null
}

export function printWords(words: readonly string[]): string {
  return words
    .map((word) => (/^[\w./:=,@%+-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`))
    .join(' ')
}
