/**
 * Stack traces of programs, as people wrote them: frames of rewritten files point into the original text, and frames of
 * the tank itself, and of the host below it, are left out while a program runs. Works on call sites, below
 * `Error.prepareStackTrace`, so that programs and tools that set it see the same.
 */
import { fileURLToPath } from 'node:url'
import type { Internals } from '../library/internals.ts'
import { shownStackDepth } from '../isolation/stack-depth.ts'
import { CapturedStack, isOwnCode } from '../stack-frames.ts'
import type { SourceMaps } from './compiling/source-maps.ts'

export interface StackTraceOptions {
  readonly internals: Internals
  readonly maps: SourceMaps
  /** Whether a simulated process is running: only then is the tank's own code of no interest. */
  readonly isProgramRunning: () => boolean
}

/** Replaces the thread's stack trace formatting; returns what puts the host's back. */
export function installStackTraces({ internals, maps, isProgramRunning }: StackTraceOptions): () => void {
  const { setPrepareStackTraceCallback } = internals.internalBinding('errors')
  const hosts = internals.require('internal/errors').prepareStackTraceCallback
  const outside = Error.prepareStackTrace
  setPrepareStackTraceCallback((global: unknown, error: unknown, sites: NodeJS.CallSite[]) => {
    const inProgram = isProgramRunning()
    const visible = inProgram
      ? ofProgram(sites).slice(0, error instanceof CapturedStack ? Infinity : shownStackDepth())
      : sites
    const format = (): unknown =>
      hosts(
        global,
        error,
        visible.map((site) => mapped(site, maps)),
      )
    return inProgram && Error.prepareStackTrace === outside ? withoutOverride(format) : format()
  })
  return () => setPrepareStackTraceCallback(hosts)
}

/**
 * A test runner's own formatting maps the files that it has transformed, by their paths; the program's files of the same
 * paths are not those. What a program itself puts there is honoured.
 */
function withoutOverride(format: () => unknown): unknown {
  const errors: { prepareStackTrace?: unknown } = Error
  const outside = errors.prepareStackTrace
  if (outside === undefined) return format()
  errors.prepareStackTrace = undefined
  try {
    return format()
  } finally {
    errors.prepareStackTrace = outside
  }
}

/** Without the tank's frames, and without the host's below them. Asynchronous frames follow all others. */
function ofProgram(sites: NodeJS.CallSite[]): NodeJS.CallSite[] {
  const owns = sites.map(isOwn)
  const base = owns.findLastIndex((own, i) => own && !isAsync(sites[i]))
  const isVisible = (site: NodeJS.CallSite, i: number): boolean =>
    !owns[i] && (i < base || base < 0 || isAsync(site))
  return sites.filter(isVisible)
}

function isAsync(site: NodeJS.CallSite): boolean {
  return (site as { isAsync?(): boolean }).isAsync?.() === true
}

function isOwn(site: NodeJS.CallSite): boolean {
  const file = site.getFileName()
  return typeof file === 'string' && isOwnCode(file)
}

function mapped(site: NodeJS.CallSite, maps: SourceMaps): NodeJS.CallSite {
  const file = site.getFileName()
  if (typeof file !== 'string') return site
  const path = pathOf(file)
  if (path === undefined || !maps.has(path)) return site
  const line = site.getLineNumber() ?? 1
  const column = site.getColumnNumber() ?? 1
  const original = maps.original(path, { line, column })
  return mappedSite(site, original.line, original.column)
}

/** The path of a file that a frame names by path or URL, without query. */
export function pathOf(file: string): string | undefined {
  if (!file.startsWith('file:')) return file
  try {
    return fileURLToPath(file)
  } catch {
    return undefined
  }
}

/**
 * The engine's call sites refuse foreign receivers, so that theirs cannot simply be inherited from. As theirs are, the
 * methods are on the prototype: tools that copy call sites look for them there.
 */
function mappedSite(site: NodeJS.CallSite, line: number, column: number): NodeJS.CallSite {
  const methods: Record<string, () => unknown> = {}
  for (const name of Object.getOwnPropertyNames(Object.getPrototypeOf(site))) {
    const method = (site as any)[name]
    if (typeof method === 'function' && name !== 'constructor') methods[name] = () => method.call(site)
  }
  return Object.create({
    ...methods,
    getLineNumber: () => line,
    getColumnNumber: () => column,
    getEnclosingLineNumber: () => line,
    getEnclosingColumnNumber: () => column,
    toString: () => `${site as unknown}`.replace(/:\d+:\d+(\)?)$/, `:${line}:${column}$1`),
  }) as NodeJS.CallSite
}
