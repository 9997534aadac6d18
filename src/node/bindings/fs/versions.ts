/** Differences between Node's versions behind the same members of `fs`, detected by members that came with them. */
import { takeInternals } from '../../library/internals.ts'

const real = takeInternals().internalBinding('fs')

/** Since 22, when native copying came: `statSync` that does not throw also forgives ENOTDIR. */
export const forgivesNotDirectory: boolean = 'cpSyncCheckPaths' in real

/** Since 24: `statfs` has the fragment size after the block size. */
export const hasFragmentSize: boolean = real.statFsValues.length > 7

/** libuv set file times in whole microseconds until 1.52; no member shows that. */
export const timeStepNs: number = Number(process.versions.uv.split('.')[1]) < 52 ? 1000 : 1
