/**
 * Which frames of a stack are wavetank's own: of no interest to its users. Where source maps are on, frames of the built
 * package name its sources; so both are its own. Tests beside the sources are programs like any other.
 */
import { fileURLToPath } from 'node:url'

const PACKAGE = new URL('../..', import.meta.url).pathname
const OWN_FOLDERS = [`${PACKAGE}src/`, `${PACKAGE}dist/`]

/** Of a path or a URL, with or without line and column. */
export function isOwnCode(position: string): boolean {
  const path = pathOf(position)
  return OWN_FOLDERS.some((folder) => path.startsWith(folder)) && !/\.test\.ts(:|$)/.test(path)
}

/** A frame of a stack: `at name (position)`, `at async position`. */
const FRAME = /^ {4}at (?:async )?(?:(.*?) \()?((?:file:\/\/)?[^()]+:\d+:\d+)\)?$/

export interface StackFrame {
  /** The function, as the engine calls it. */
  readonly name: string | null
  /** `file:line:column`, the file as a path. */
  readonly position: string
}

/** The frames of a stack that are in files, and not in Node's or wavetank's own. */
export function programFrames(stack: string): StackFrame[] {
  return stack.split('\n').flatMap((line) => {
    const [, name, position] = FRAME.exec(line) ?? []
    if (position === undefined || position.startsWith('node:') || isOwnCode(position)) return []
    return [{ name: name ?? null, position: pathOf(position) }]
  })
}

function pathOf(position: string): string {
  return position.startsWith('file:') ? fileURLToPath(position) : position
}
