/** Text from a history or a program as text in HTML, SVG and XML, whatever it contains. */

/** For text and attribute values; characters that XML does not allow are shown as replacement characters. */
export function escapeMarkup(text: string): string {
  return text
    .replace(/[&<>"']/g, (c) => `&#${c.charCodeAt(0)};`)
    .replaceAll(/[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu, '\uFFFD')
}

/** A value of an attribute, with its quotes. A bare newline in an attribute is read as a space. */
export function attribute(text: string): string {
  return `"${escapeMarkup(text).replace(/\n/g, '&#10;')}"`
}
