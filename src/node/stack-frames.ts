/**
 * Stacks as V8 prints them: the one reader of their lines, and the one answer to which of them belong to the program.
 *
 * A frame counts if it lies in a file. Frames without one (`Array.map (<anonymous>)`, `Promise.all (index 0)`, code that
 * `eval` or `vm` compiled without a file name) say nothing that a reader could open. Of the rest, those of Node's library
 * (`node:…`) and of wavetank itself are not the program's. Wavetank's own code is the `src` and `dist` of its package,
 * since frames of the built package name its sources when source maps are on; tests beside the sources are programs like
 * any other. Code at the top of a CommonJS module is `Object.<anonymous>`, and does count: its frame has a file.
 *
 * This file works on text. Frames that are left out or mapped while a program runs: see loader/stack-traces.ts.
 */
import { isAbsolute } from 'node:path'
import { fileURLToPath } from 'node:url'

/** Besides the two folders this file itself, in case all of them are bundled into one. */
const OWN_CODE = ['../../src/', '../../dist/', import.meta.url]
  .map((place) => new URL(place, import.meta.url))
  .flatMap((url) => [url.href, fileURLToPath(url)])
const TEST = /\.(?:test|test-support|contract)\.ts(?:\?|$)/

export interface StackFrame {
  /** The function, as the engine calls it; null for code that has no name. */
  readonly name: string | null
  /** The path of the file; a module of Node's by its name, such as `node:net`. */
  readonly file: string
  /** `file:line:column`. */
  readonly position: string
}

/**
 * `at name (file:line:column)` or `at file:line:column`, either with `async`. A path may have parentheses and spaces in
 * it; a relative one may not, so that a name is never taken for one.
 */
const FRAME =
  /^\s+at (?!.*\(eval at )(?:async )?(?:(.*?) \()?((?:file:\/\/)?\/.*?|[A-Za-z]:[\\/].*?|[^()<>]+?)(?:\?[^:()]*)?:(\d+):(\d+)\)?$/

/** A line that the engine made, whether it names a file or not. A message may have lines that begin with `at`. */
const FRAME_LIKE = /^\s+at .*(?::\d+:\d+|<anonymous>|\(index \d+|\(native)\)?$/
const BRANCH = /^\s+at async Promise\.\w+ \(index (\d+)\)$/

/** The frame in a line of a stack; null for one that is in no file. */
export function frameOf(line: string): StackFrame | null {
  const found = FRAME.exec(line)
  if (found === null) return null
  const file = pathOf(found[2])
  return { name: found[1] ?? null, file, position: `${file}:${found[3]}:${found[4]}` }
}

/** The frame in a line of a stack, if it is the program's. */
export function programFrame(line: string): StackFrame | null {
  const frame = frameOf(line)
  return frame === null || frame.file.startsWith('node:') || isOwnCode(frame.file) ? null : frame
}

/** The program's frames of a stack, innermost first. */
export function programFrames(stack: string): StackFrame[] {
  return stack.split('\n').flatMap((line) => programFrame(line) ?? [])
}

/** The lines of the program's frames, innermost first, without their indentation. */
export function programLines(stack: string): string[] {
  const lines = stack.split('\n').filter((line) => programFrame(line) !== null)
  return lines.map((line) => line.trim())
}

/** A stack with its message and, of its frames, the program's. */
export function programStack(stack: string): string {
  const lines = stack.split('\n').filter((line) => !FRAME_LIKE.test(line) || programFrame(line) !== null)
  return lines.join('\n')
}

/** The number of the branch in `at async Promise.all (index 1)`, from 0; null for any other line. */
export function branchOf(line: string): number | null {
  const found = BRANCH.exec(line)
  return found === null ? null : Number(found[1])
}

/** Whether a file, given by path or URL, is wavetank's own code. */
export function isOwnCode(file: string): boolean {
  return OWN_CODE.some((place) => file.startsWith(place)) && !TEST.test(file)
}

/** A stack that the tank asks for. It shows as many frames as were captured, and a program's errors Node's ten. */
export class CapturedStack {
  /** Formatted when it is first read; whatever a program's Error.prepareStackTrace makes of it. */
  declare readonly stack?: unknown

  constructor(frames: number, callee: (...args: never[]) => unknown) {
    const limit = Error.stackTraceLimit
    Error.stackTraceLimit = frames
    Error.captureStackTrace(this, callee)
    Error.stackTraceLimit = limit
  }

  get text(): string {
    return typeof this.stack === 'string' ? this.stack : ''
  }
}

/** The lines of the stack here, at most `frames` of them; only those above `callee`, if it is given. */
export function stackLines(frames: number, callee: (...args: never[]) => unknown = stackLines): string[] {
  return new CapturedStack(frames, callee).text.split('\n').slice(1)
}

/** The file of the code that called `callee`; null where the stack does not say. */
export function callerFile(callee: (...args: never[]) => unknown): string | null {
  const file = frameOf(stackLines(1, callee)[0] ?? '')?.file
  return file !== undefined && isAbsolute(file) ? file : null
}

function pathOf(file: string): string {
  if (!file.startsWith('file:')) return file
  try {
    return fileURLToPath(file)
  } catch {
    return file
  }
}
