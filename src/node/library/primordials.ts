/**
 * The primordials that our instances of Node's modules get: Node's own, with what reads a clock, draws random numbers or
 * watches the garbage collector replaced. Memoised symbols come on top, per module (see facade.ts).
 */
import type { Internals } from './internals.ts'
import { VirtualAtomics } from '../globals/atomics.ts'
import { VirtualDate } from '../globals/date.ts'
import { VirtualMath } from '../globals/math.ts'
import { SilentFinalizationRegistry, StrongRef } from '../globals/collector.ts'

export function simulatedPrimordials(internals: Internals): Record<string, any> {
  const atomics = VirtualAtomics as any
  return {
    __proto__: internals.primordials,
    Date: VirtualDate,
    DateNow: VirtualDate.now,
    MathRandom: VirtualMath.random,
    WeakRef: StrongRef,
    SafeWeakRef: StrongRef,
    FinalizationRegistry: SilentFinalizationRegistry,
    SafeFinalizationRegistry: SilentFinalizationRegistry,
    AtomicsWait: atomics.wait,
    AtomicsWaitAsync: atomics.waitAsync,
    AtomicsNotify: atomics.notify,
    globalThis: Object.create(internals.primordials.globalThis, {
      Atomics: { value: typeof Atomics === 'undefined' ? undefined : atomics },
    }),
  }
}
