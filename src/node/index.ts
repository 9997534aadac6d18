/**
 * Node.js on the simulated world: Node's own library over simulated bindings. This file is the door of the layer: other
 * layers import from here, or from bare.ts where no tank is needed. The rooms behind it are described in
 * docs/architecture.md.
 */
export { UnsupportedError } from './bindings/binding.ts'
export { NodeThread } from './isolation/thread.ts'
export type { AssertionSite, SourceTransform } from './loader/index.ts'
export { running } from './process/current.ts'
export { NodeProgram } from './process/program.ts'
export type {
  NodeProgramOptions,
  Output,
  ProcessContext,
  ProcessFunction,
} from './process/program-options.ts'
export type { RunningProcess } from './process/running-process.ts'
export { projectImage, projectMounts } from './project-image.ts'
