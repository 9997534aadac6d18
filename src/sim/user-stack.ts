/**
 * Stacks as the user wants them: the message, and the frames in their own files. Frames of Node's library and of
 * wavetank itself say nothing about the program.
 */
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The folder that holds wavetank's own code: `src` or `dist`. */
const OWN = dirname(dirname(fileURLToPath(import.meta.url)))

export function userStack(stack: string): string {
  const lines = stack.split('\n')
  const kept = lines.filter((line) => !/^\s+at /.test(line) || isUsers(line))
  return kept.join('\n')
}

function isUsers(frame: string): boolean {
  return !frame.includes('node:') && !frame.includes(`${OWN}/`) && !frame.includes('<anonymous>')
}
