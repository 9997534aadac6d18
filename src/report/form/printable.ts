/**
 * Text from a history that may go to a terminal. A history is a file of a stranger: its names and errors may hold escape
 * sequences, and may be endless. Control characters, and the marks that reverse the direction of text, are shown as
 * escapes; what is too long is cut.
 */

// These are the characters that a terminal may obey.
const OBEYED =
  // eslint-disable-next-line no-control-regex -- they are the point
  /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff]/g

/** Characters of one text that are shown. */
const SHOWN = 4000

/** Line feeds stay; a caller that wants one line splits the text itself. */
export function printable(text: string, limit = SHOWN): string {
  const shown = text.length <= limit ? text : `${text.slice(0, limit - 1)}…`
  return shown.replace(OBEYED, escapeOf)
}

/** The same for JSON, whose strings keep their meaning: the escapes are JSON's own. */
export function printableJson(text: string): string {
  return text.replace(OBEYED, escapeOf)
}

function escapeOf(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
}
