/**
 * Errors for modules that a program cannot have in the tank. Each names the module, the file that asked for it, and the
 * way out.
 */
import { UsageError } from '../../kernel/errors.ts'
import { programFrame, stackLines } from '../stack-frames.ts'
import { pathOf } from './stack-traces.ts'

/** Node's loaders stand between an import and the code that asks for it. */
const STACK_FRAMES = 50

/** Builtins that would reach past the simulated world, each with what it would reach. */
export const UNSUPPORTED_BUILTINS: ReadonlyMap<string, string> = new Map([
  ['repl', 'it is for a person at a terminal'],
  ['sqlite', 'its database files are opened by native code on the real disk'],
  ['wasi', 'its files are opened by native code on the real disk'],
  ['ffi', 'it calls native code of the real machine'],
  ['quic', 'its sockets are opened by native code on the real network'],
])

export function unsupportedBuiltin(id: string, reason: string, importer: string | undefined): UsageError {
  return new UsageError(
    'ERR_WAVETANK_UNSUPPORTED_MODULE',
    `node:${id} is not available in the tank${by(importer)}: ${reason}. ` +
      `Map it to a module of your own: externals: { '${id}': './stub.ts' }.`,
  )
}

/** `owner` is the package that users know: the addon's own, or the one that depends on it. */
export function unsupportedAddon(filename: string, owner: string, importer: string | undefined): UsageError {
  return new UsageError(
    'ERR_WAVETANK_NATIVE_ADDON',
    `The native addon ${filename} is not loaded in the tank${by(importer)}: native code can wait, read and write ` +
      `outside the simulated world. If it only computes, allow it: addons: ['${owner}']. ` +
      `Otherwise map its package to a module of your own: externals: { '${owner}': './stub.ts' }.`,
  )
}

export function refusedAddon(
  filename: string,
  owner: string,
  reason: string,
  importer: string | undefined,
): UsageError {
  return new UsageError(
    'ERR_WAVETANK_NATIVE_ADDON',
    `The native addon ${filename} cannot be loaded in the tank${by(importer)}, with or without the option addons: ` +
      `${reason}, outside the simulated world. Map its package to a module of your own: ` +
      `externals: { '${owner}': './stub.ts' }.`,
  )
}

export function unsupportedHooks(what: string): UsageError {
  return new UsageError(
    'ERR_WAVETANK_UNSUPPORTED_HOOKS',
    `${what} is not available in the tank: its hooks run on another thread that this one waits for. ` +
      'The tank reads TypeScript itself, so a program needs no tsx, ts-node or swc-node there: start its .ts file. ' +
      'For other hooks use module.registerHooks(), which runs them in the process.',
  )
}

function by(importer: string | undefined): string {
  return importer === undefined ? '' : ` (imported by ${pathOf(importer) ?? importer})`
}

/** The package that a file in `node_modules` belongs to. */
export function packageOf(filename: string): string {
  return (
    /.*[/\\]node_modules[/\\]((?:@[^/\\]+[/\\])?[^/\\]+)/.exec(filename)?.[1]?.replace('\\', '/') ?? filename
  )
}

/** The program file nearest on the stack, for imports that are calls. */
export function callingFile(): string | undefined {
  for (const line of stackLines(STACK_FRAMES)) {
    const frame = programFrame(line)
    if (frame !== null) return frame.file
  }
  return undefined
}
