/**
 * A world is garbage as a whole when it is over, and thousands follow each other. V8 guesses from the first ones, some of
 * which live through a collection, that what they allocate lives long, and makes it old from then on; such an object is
 * dead a millisecond later but keeps whatever it refers to alive until the next full collection. Minor collections then
 * copy every dead world: measured on Node 20, explorations ran at a third of their speed.
 *
 * V8 makes some objects old from the start: hidden classes, pairs of accessors, functions that are assigned to a property
 * (`exports.run = () => …`), the cells of a module's exports. What a boot leaves behind of them must not lead to its process
 * (see `detachSource`), or minor collections copy the whole of it. What programs leave behind may: threads that help each
 * other with copying are in each other's way when every core has a thread with worlds of its own.
 */
import { setFlagsFromString } from 'node:v8'

let isHinted = false

/**
 * Tells V8 not to guess how long objects live, and to leave the young objects of a thread to that thread. Both are hints
 * for the whole process, without any effect but speed.
 */
export function keepGarbageYoung(): void {
  if (isHinted) return
  isHinted = true
  setFlagsFromString('--no-allocation-site-pretenuring')
  setFlagsFromString('--no-parallel-scavenge')
}
