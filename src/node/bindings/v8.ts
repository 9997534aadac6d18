/**
 * `v8`: the engine's own, but for the figures of its heap. That heap is shared by all processes of the thread and depends
 * on when the collector ran; a process sees a heap of its own that never changes, of the size that `os` and `process`
 * report. Flags of the engine are the thread's: none that a process sets reaches it.
 */
import { setEngineFlags } from '../globals/collector.ts'
import { current } from '../process/current.ts'
import { takeInternals, type Binding } from '../library/internals.ts'

const MIB = 2 ** 20

/** By the name of the engine's index; the others are 0. */
const HEAP: Readonly<Record<string, number>> = {
  kTotalHeapSizeIndex: 16 * MIB,
  kTotalPhysicalSizeIndex: 16 * MIB,
  kTotalAvailableSize: 4096 * MIB,
  kUsedHeapSizeIndex: 8 * MIB,
  kHeapSizeLimitIndex: 4144 * MIB,
  kExternalMemoryIndex: MIB,
  kNumberOfNativeContextsIndex: 1,
}
const CODE: Readonly<Record<string, number>> = { kCodeAndMetadataSizeIndex: MIB }
const SPACE: Readonly<Record<string, number>> = {
  kSpaceSizeIndex: 2 * MIB,
  kSpaceUsedSizeIndex: MIB,
  kSpaceAvailableSizeIndex: MIB,
  kPhysicalSpaceSizeIndex: 2 * MIB,
}

export function v8(): Binding {
  const real = takeInternals().internalBinding('v8')
  const writer = (buffer: Float64Array, figures: Readonly<Record<string, number>>) => (): void => {
    buffer.fill(0)
    for (const [index, figure] of Object.entries(figures)) if (index in real) buffer[real[index]] = figure
  }
  return {
    ...real,
    setFlagsFromString: (flags: string) => setEngineFlags(current(), flags),
    updateHeapStatisticsBuffer: writer(real.heapStatisticsBuffer, HEAP),
    updateHeapCodeStatisticsBuffer: writer(real.heapCodeStatisticsBuffer, CODE),
    updateHeapSpaceStatisticsBuffer: writer(real.heapSpaceStatisticsBuffer, SPACE),
  }
}
