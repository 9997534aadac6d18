/** The members of `fs` that ask for and change what is known about files. */
import {
  access,
  chmod,
  chown,
  fchmod,
  fchown,
  fstat,
  futimes,
  stat,
  statfs,
  utimes,
} from '../../../world/disk/attributes.ts'
import { peek } from '../../../world/disk/path-walk.ts'
import { fromSeconds } from '../../../world/disk/timestamp.ts'
import { current } from '../../process/current.ts'
import type { Binding } from '../../library/internals.ts'
import { checkDescriptor, checkMode } from './checks.ts'
import { type Arguments, operation } from './operation.ts'
import { pathOf } from './path.ts'
import { fillStat, statArray, statFsArray, STAT_FIELDS } from './stats.ts'
import { forgivesNotDirectory, timeStepNs } from './versions.ts'
import { filesOf } from './view.ts'
import type { NewTimes, Stat } from '../../../world/disk/attributes.ts'

export function attributeMembers(): Binding {
  // Synchronous calls fill one shared array, as Node does: the library copies it at once.
  const statValues = new Float64Array(2 * STAT_FIELDS)
  const bigintStatValues = new BigInt64Array(2 * STAT_FIELDS)
  const deliver = (result: Stat, bigint: unknown, form: 'sync' | 'async'): unknown => {
    if (form === 'async') return statArray(result, bigint)
    const target = bigint === true ? bigintStatValues : statValues
    fillStat(target, result)
    return target
  }
  const onDescriptor = (args: Arguments): void => checkDescriptor(args[0])
  return {
    statValues,
    bigintStatValues,
    statFsValues: new Float64Array(8),
    bigintStatFsValues: new BigInt64Array(8),
    stat: operation({
      syscall: 'stat',
      inputs: 2,
      path: 0,
      run: (view, [path, bigint], _process, form) => deliver(stat(view, pathOf(path), true), bigint, form),
      tolerates: (code, args) =>
        args[3] === false && (code === 'ENOENT' || (forgivesNotDirectory && code === 'ENOTDIR')),
    }),
    lstat: operation({
      syscall: 'lstat',
      inputs: 2,
      path: 0,
      run: (view, [path, bigint], _process, form) => deliver(stat(view, pathOf(path), false), bigint, form),
      tolerates: (code, args) => args[3] === false && code === 'ENOENT',
    }),
    fstat: operation({
      syscall: 'fstat',
      inputs: 2,
      check: onDescriptor,
      run: (view, [fd, bigint], _process, form) => deliver(fstat(view, fd), bigint, form),
    }),
    statfs: operation({
      syscall: 'statfs',
      inputs: 2,
      path: 0,
      run: (view, [path, bigint]) => statFsArray(statfs(view, pathOf(path)), bigint),
    }),
    access: operation({
      syscall: 'access',
      inputs: 2,
      path: 0,
      check: (args) => checkMode(args[1]),
      run: (view, [path, mode]) => access(view, pathOf(path), mode ?? 0),
    }),
    existsSync: (path: unknown) => peek(filesOf(current()), pathOf(path)) !== null,
    chmod: operation({
      syscall: 'chmod',
      inputs: 2,
      path: 0,
      run: (view, [path, mode]) => chmod(view, pathOf(path), mode),
    }),
    fchmod: operation({
      syscall: 'fchmod',
      inputs: 2,
      check: onDescriptor,
      run: (view, [fd, mode]) => fchmod(view, fd, mode),
    }),
    chown: operation({
      syscall: 'chown',
      inputs: 3,
      path: 0,
      run: (view, [path, uid, gid]) => chown(view, pathOf(path), uid, gid, true),
    }),
    fchown: operation({
      syscall: 'fchown',
      inputs: 3,
      check: onDescriptor,
      run: (view, [fd, uid, gid]) => fchown(view, fd, uid, gid),
    }),
    lchown: operation({
      syscall: 'lchown',
      inputs: 3,
      path: 0,
      run: (view, [path, uid, gid]) => chown(view, pathOf(path), uid, gid, false),
    }),
    utimes: operation({
      syscall: 'utime',
      inputs: 3,
      path: 0,
      run: (view, [path, atime, mtime]) => utimes(view, pathOf(path), timesOf(atime, mtime), true),
    }),
    futimes: operation({
      syscall: 'futime',
      inputs: 3,
      check: onDescriptor,
      run: (view, [fd, atime, mtime]) => futimes(view, fd, timesOf(atime, mtime)),
    }),
    lutimes: operation({
      syscall: 'lutime',
      inputs: 3,
      path: 0,
      run: (view, [path, atime, mtime]) => utimes(view, pathOf(path), timesOf(atime, mtime), false),
    }),
  }
}

function timesOf(atime: number, mtime: number): NewTimes {
  return { atime: fromSeconds(atime, timeStepNs), mtime: fromSeconds(mtime, timeStepNs) }
}
