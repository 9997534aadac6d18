/**
 * Loads unmodified programs into simulated processes: CommonJS, ES modules, TypeScript, JSON and packages, with Node's
 * own loaders over the process's bindings. A {@link LoaderThread} holds what all processes of a thread share (compiled
 * code); a {@link ProgramLoader} is one boot of one process.
 *
 * The reader's path: program-compiler.ts (how a file is compiled), node-loaders.ts and shared-loaders.ts (how Node's
 * loaders are instantiated), bindings/module-wrap.ts and bindings/contextify.ts (what they stand on), loader-substitutes.ts and
 * loader-amendments.ts (what they get instead, and what is changed in them), resolution.ts and typescript.ts (what is
 * added).
 */
export { LoaderThread } from './loader-thread.ts'
export { ProgramLoader } from './program-loader.ts'
export type { ProgramLoaderOptions } from './program-loader.ts'
export { isLoaderModule } from './node-loaders.ts'
export type { AssertionSite } from './assertion-sites.ts'
export type { SourceTransform } from './program-compiler.ts'
