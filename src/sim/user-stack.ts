/**
 * Stacks as the user wants them: the message, and the frames in their own files. Frames of Node's library and of
 * wavetank itself say nothing about the program.
 */
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The folder that holds wavetank's own code: `src` or `dist`. */
const OWN = dirname(dirname(fileURLToPath(import.meta.url)))
const FRAME = /^\s+at /

export function userStack(stack: string): string {
  const lines = stack.split('\n')
  const kept = lines.filter((line) => !FRAME.test(line) || isUsers(line))
  return kept.join('\n')
}

/** Only the frames, innermost first, without their indentation. */
export function userFrames(stack: string): string[] {
  const lines = stack.split('\n').filter((line) => FRAME.test(line) && isUsers(line))
  return lines.map((line) => line.trim())
}

function isUsers(frame: string): boolean {
  return !frame.includes('node:') && !frame.includes(`${OWN}/`) && !frame.includes('<anonymous>')
}
