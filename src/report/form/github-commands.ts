/** Text inside GitHub workflow commands: what has a meaning there is written as a percent code. */

export function message(text: string): string {
  return text.replace(/%/g, '%25').replace(/\r/g, '%0D').replace(/\n/g, '%0A')
}

export function property(text: string): string {
  return message(text).replace(/:/g, '%3A').replace(/,/g, '%2C')
}
