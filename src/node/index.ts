/** Node.js on the simulated world: Node's own library over simulated bindings. */
export { NodeProcess } from './process.ts'
export {
  NodeProgram,
  type NodeProgramOptions,
  type Output,
  type ProcessContext,
  type ProcessFunction,
} from './program.ts'
export { NodeThread } from './thread.ts'
