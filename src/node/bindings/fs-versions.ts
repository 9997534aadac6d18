/** What differs between Node's versions behind the same members of `fs`, told by members that came at the same time. */
import { takeInternals } from '../internals.ts'

const real = takeInternals().internalBinding('fs')

/** Since 22, when native copying came: `statSync` that does not throw also forgives ENOTDIR. */
export const forgivesNotDirectory: boolean = 'cpSyncCheckPaths' in real
