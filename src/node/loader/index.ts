/**
 * Loads unmodified programs into simulated processes: CommonJS, ES modules, TypeScript, JSON and packages, with Node's
 * own loaders over the process's bindings. A {@link LoaderThread} holds the compiled code that all processes of a thread
 * share; a {@link ProgramLoader} is one boot of one process.
 *
 * The reader's path: program-compiler.ts (how a file is compiled), node-loaders.ts and shared-loaders.ts (how Node's
 * loaders are instantiated), bindings/modules (the bindings below them), loader-substitutes.ts and loader-amendments.ts
 * (the changes to them), resolution.ts and typescript.ts (the additions).
 */
export { LoaderThread } from './loader-thread.ts'
export { ProgramLoader } from './program-loader.ts'
export type { AssertionSite } from './compiling/assertion-sites.ts'
export type { SourceTransform } from './compiling/program-compiler.ts'
