/** How a command becomes another user's, where this tool runs as root; elsewhere it stays the tool's own. */
import { spawnSync } from 'node:child_process'
import { UsageError } from '../../kernel/errors.ts'

export interface AsUser {
  /** What comes before the command. */
  readonly words: readonly string[]
  /** Options of the spawn. */
  readonly who: { readonly uid?: number; readonly gid?: number }
}

/** `prefix` needs the rights of root itself (`nsenter`), so the user is changed behind it. */
export function asUser(user: string | undefined, prefix: readonly string[]): AsUser {
  if (user === undefined || process.getuid?.() !== 0) return { words: prefix, who: {} }
  const who = userOf(user)
  if (prefix.length === 0) return { words: [], who }
  return {
    words: [...prefix, 'setpriv', `--reuid=${who.uid}`, `--regid=${who.gid}`, '--clear-groups', '--'],
    who: {},
  }
}

/** The numbers of a user of this machine. */
export function userOf(user: string): { readonly uid: number; readonly gid: number } {
  const [uid, gid] = ['-u', '-g'].map((flag) => {
    const { status, stdout } = spawnSync('id', [flag, user], { encoding: 'utf8' })
    return status === 0 ? Number(stdout) : null
  })
  if (uid !== null && gid !== null) return { uid, gid }
  throw new UsageError(
    'ERR_WAVETANK_USER',
    `wavetank real: this machine has no user ${user}, which a system runs as`,
  )
}
