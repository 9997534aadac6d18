/** `credentials`: every simulated process runs as the same unprivileged user. Hosts know two others by name. */
import { current } from '../process/current.ts'
import type { Binding } from '../library/internals.ts'
import { closed } from './binding.ts'

export const USER_ID = 1000

const USERS: Readonly<Record<string, number>> = { root: 0, nobody: 65534 }
const GROUPS: Readonly<Record<string, number>> = { root: 0, nogroup: 65534 }

type Identifier = number | string

export function credentials(): Binding {
  return closed('credentials', {
    safeGetenv: (name: string) => current().object.env[name],
    getTempDir() {
      const { TMPDIR, TMP, TEMP } = current().object.env
      return (TMPDIR || TMP || TEMP || '/tmp').replace(/(.)\/$/, '$1') as string
    },
    implementsPosixCredentials: true,
    getuid: () => USER_ID,
    geteuid: () => USER_ID,
    getgid: () => USER_ID,
    getegid: () => USER_ID,
    getgroups: () => [USER_ID],
    initgroups(user: Identifier, group: Identifier) {
      // Only numbers of users are looked up.
      if (typeof user === 'number' && user !== USER_ID && !Object.values(USERS).includes(user)) return 1
      if (typeof group === 'string' && !(group in GROUPS)) return 2
      return notPermitted('initgroups')
    },
    /** The place of the first unknown name, from one. */
    setgroups(groups: readonly Identifier[]) {
      const unknown = groups.findIndex((group) => typeof group === 'string' && !(group in GROUPS))
      return unknown >= 0 ? unknown + 1 : notPermitted('setgroups')
    },
    setegid: changing('setegid', GROUPS),
    seteuid: changing('seteuid', USERS),
    setgid: changing('setgid', GROUPS),
    setuid: changing('setuid', USERS),
  })
}

/** Becoming who one is already is always allowed. 1: there is no user of that name. */
function changing(syscall: string, names: Readonly<Record<string, number>>): (id: Identifier) => number {
  return (id) => {
    if (typeof id === 'string' && !(id in names)) return 1
    return id === USER_ID ? 0 : notPermitted(syscall)
  }
}

/** As `node::ErrnoException` words it. */
function notPermitted(syscall: string): never {
  throw Object.assign(new Error('EPERM, Operation not permitted'), { errno: 1, code: 'EPERM', syscall })
}
