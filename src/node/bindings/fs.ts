/**
 * `fs`: Node's file system binding over the host's simulated disk. One per thread: members dispatch to the current
 * process. Members that only some versions have are harmless in the others, which never look for them. By subject:
 * data, names, attributes, whole trees, jobs, what the module loaders ask.
 */
import type { Binding } from '../internals.ts'
import type { NodeThread } from '../thread.ts'
import { closed } from './binding.ts'
import { attributeMembers } from './fs-attributes.ts'
import { copyMembers } from './fs-copy.ts'
import { dataMembers } from './fs-data.ts'
import { FileHandle } from './fs-file-handle.ts'
import { jobMembers } from './fs-jobs.ts'
import { moduleMembers } from './fs-modules.ts'
import { nameMembers } from './fs-names.ts'
import { FSReqCallback } from './fs-operation.ts'
import { StatWatcher } from './fs-stat-watcher.ts'

export function fs(thread: NodeThread): Binding {
  return closed('fs', {
    FSReqCallback,
    FileHandle,
    StatWatcher,
    ...dataMembers(thread),
    ...nameMembers(thread),
    ...attributeMembers(thread),
    ...copyMembers(thread),
    ...jobMembers(thread),
    ...moduleMembers(thread),
  })
}
