/** Git, as far as commands ask it: one question, one answer. */
import { execFileSync } from 'node:child_process'

/** What `git` prints in a folder; null if it says no: no repository, no such revision, no git. */
export function git(folder: string, ...args: readonly string[]): string | null {
  try {
    return execFileSync('git', args, {
      cwd: folder,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
      maxBuffer: 256_000_000,
    }).trimEnd()
  } catch {
    return null
  }
}
