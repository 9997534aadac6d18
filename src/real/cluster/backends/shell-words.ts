/** Words and scripts of POSIX shells, for machines that are reached through one. */

/** A word as a shell reads it back. */
export function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`
}

export function line(words: readonly string[]): string {
  return words.map(quoted).join(' ')
}
