/**
 * `fs`: Node's file system binding over the host's simulated disk. One per thread: members dispatch to the current
 * process. Members that only some versions have are harmless in the others, which never look for them. By subject:
 * data, names, attributes, whole trees, jobs, what the module loaders ask.
 */
import type { Binding } from '../../library/internals.ts'
import { closed } from '../binding.ts'
import { attributeMembers } from './attributes.ts'
import { copyMembers } from './copy.ts'
import { dataMembers } from './data.ts'
import { FileHandle } from './file-handle.ts'
import { jobMembers } from './jobs.ts'
import { moduleMembers } from './modules.ts'
import { nameMembers } from './names.ts'
import { FSReqCallback } from './operation.ts'
import { StatWatcher } from './stat-watcher.ts'

export function fs(): Binding {
  return closed('fs', {
    FSReqCallback,
    FileHandle,
    StatWatcher,
    ...dataMembers(),
    ...nameMembers(),
    ...attributeMembers(),
    ...copyMembers(),
    ...jobMembers(),
    ...moduleMembers(),
  })
}
