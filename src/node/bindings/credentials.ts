/** `credentials`: every simulated process runs as the same unprivileged user. */
import { current } from '../current.ts'
import type { Binding } from '../internals.ts'
import { closed } from './binding.ts'

export const USER_ID = 1000

export function credentials(): Binding {
  return closed('credentials', {
    safeGetenv: (name: string) => current().object.env[name],
    getTempDir: () => current().object.env.TMPDIR ?? '/tmp',
    implementsPosixCredentials: true,
    getuid: () => USER_ID,
    geteuid: () => USER_ID,
    getgid: () => USER_ID,
    getegid: () => USER_ID,
    getgroups: () => [USER_ID],
    initgroups: notPermitted,
    setgroups: notPermitted,
    setegid: changeTo,
    seteuid: changeTo,
    setgid: changeTo,
    setuid: changeTo,
  })
}

/** Becoming who one is already is always allowed. */
function changeTo(id: number | string): number {
  if (typeof id === 'string') return 1
  if (id !== USER_ID) notPermitted()
  return 0
}

function notPermitted(): never {
  const { UVException } = current().modules.require('internal/errors')
  throw new UVException({ errno: -1, syscall: 'setuid', message: 'operation not permitted' })
}
