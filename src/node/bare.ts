/**
 * The side door of this layer: what code needs of it that runs in the host's own thread without a tank, such as an
 * exploration of a closure or the declaration of a simulation. It loads a few small files; `index.ts` loads the whole
 * layer, which takes a quarter of a second.
 */
export { Origins, type Frame, type Origin } from './call-origin.ts'
export { keepGarbageYoung } from './isolation/young-garbage.ts'
export { ExitSignal } from './process/exit-signal.ts'
export {
  callerFile,
  CapturedStack,
  programFrame,
  programFrames,
  programLines,
  programStack,
  stackLines,
  type StackFrame,
} from './stack-frames.ts'
