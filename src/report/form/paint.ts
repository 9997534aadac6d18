/** Colours as an argument: a report is a pure function of its data and of this. */
import pc from 'picocolors'

export interface Paint {
  good(text: string): string
  bad(text: string): string
  warn(text: string): string
  dim(text: string): string
  bold(text: string): string
  fault(text: string): string
}

const same = (text: string): string => text

export const PLAIN: Paint = { good: same, bad: same, warn: same, dim: same, bold: same, fault: same }

export function coloured(enabled: boolean): Paint {
  if (!enabled) return PLAIN
  const { green, red, yellow, dim, bold, magenta } = pc.createColors(true)
  return { good: green, bad: red, warn: yellow, dim, bold, fault: magenta }
}
