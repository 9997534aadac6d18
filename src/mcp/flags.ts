/** Options of a command line from the input of a tool. */
import type { ToolInput } from './tool.ts'

/** `--name value`, or nothing for a value that was left out. */
export function option(name: string, value: ToolInput[string]): string[] {
  return value === undefined ? [] : [`--${name}`, String(value)]
}

export function flag(name: string, value: ToolInput[string]): string[] {
  return value === true ? [`--${name}`] : []
}
