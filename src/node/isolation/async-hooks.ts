/**
 * `async_hooks` as one process sees it. Hooks are registered once for the whole thread, so those of a process are
 * guarded: they run for what happens in its own steps, and are taken down when it ends. Destroyed ids wait for the check
 * phase of the process's loop (`AsyncWrap::EmitDestroy` in C++), not the host's.
 */
import { ownMethod } from '../globals/own-members.ts'
import { running } from '../process/current.ts'
import type { Internals } from '../library/internals.ts'
import type { RunningProcess } from '../process/running-process.ts'

type Hook = Record<symbol, unknown> & { enable(): Hook; disable(): Hook }

/** Exit code for a corrupted stack of scopes, as `AsyncHooks::FailWithCorruptedAsyncStack` uses it. */
const CORRUPTED = 1

/** Processes that have asked for destroyed ids. Others must not notice that the host has, as node:test does. */
const destroyWatchers = new WeakSet<RunningProcess>()

/** `createHook` for the running process. */
export function guardedCreateHook(
  createHook: (callbacks: object) => Hook,
  internals: Internals,
): (callbacks: object) => Hook {
  const { symbols } = internals.require('internal/async_hooks')
  const names = ['init', 'before', 'after', 'destroy', 'promise_resolve']
  const members: symbol[] = names.map((name) => symbols[`${name}_symbol`])
  return function createGuardedHook(callbacks) {
    const hook = createHook(callbacks)
    const owner = running
    if (owner === null) return hook
    if (typeof hook[symbols.destroy_symbol] === 'function') destroyWatchers.add(owner)
    for (const member of members) {
      const callback = hook[member]
      if (typeof callback === 'function') hook[member] = guarded(owner, callback as Callback)
    }
    keepHook(owner, hook)
    return hook
  }
}

/** Processes that have hooks. */
const hooked = new Set<RunningProcess>()

function keepHook(owner: RunningProcess, hook: { disable(): unknown }): void {
  owner.hooks.add(hook)
  hooked.add(owner)
}

/** A world is over: takes down the hooks of processes that did not end with it. */
export function takeDownHooks(): void {
  for (const { hooks } of hooked) {
    for (const hook of hooks) hook.disable()
    hooks.clear()
  }
  hooked.clear()
}

/**
 * Up to Node 22 a store is kept by a hook, which `run` switches on and only `disable` switches off again: each process
 * takes down its own.
 */
export function disableStoresWithProcess(internals: Internals): void {
  const { AsyncLocalStorage } = internals.require('async_hooks')
  ownMethod(AsyncLocalStorage.prototype as object, '_enable', (enable: () => void) => {
    return function (this: { enabled: boolean; disable(): void }): void {
      if (running !== null && !this.enabled) keepHook(running, { disable: () => this.disable() })
      Reflect.apply(enable, this, [])
    }
  })
}

type Callback = (...args: unknown[]) => unknown

function guarded(owner: RunningProcess, callback: Callback): Callback {
  return function (this: unknown, ...args: unknown[]): unknown {
    return running === owner && owner.zombie === null ? Reflect.apply(callback, this, args) : undefined
  }
}

/** A function that leaves a scope. Leaving one that is not the innermost ends a process: natively, the host's. */
export function checkedLeave(
  leave: (asyncId: number) => void,
  internals: Internals,
): (asyncId: number) => void {
  const {
    async_hook_fields: fields,
    async_id_fields: ids,
    constants,
  } = internals.internalBinding('async_wrap')
  return function leaveChecked(asyncId) {
    const innermost = ids[constants.kExecutionAsyncId] as number
    const checks = fields[constants.kCheck] > 0 && fields[constants.kStackLength] > 0
    if (running === null || !checks || innermost === asyncId) {
      leave(asyncId)
      return
    }
    running.printError(
      `Error: async hook stack has become corrupted (actual: ${innermost}, expected: ${asyncId})\n`,
    )
    running.exit(CORRUPTED, null)
    throw running.zombie!
  }
}

/** Leads the ids that are destroyed in a process's steps to its loop. */
export function routeDestroyedIds(internals: Internals): void {
  const wrap = internals.internalBinding('async_wrap')
  const { nativeHooks } = internals.require('internal/async_hooks')
  const ofHost = wrap.queueDestroyAsyncId as (asyncId: number) => void
  wrap.queueDestroyAsyncId = (asyncId: number): void => {
    if (running === null || !destroyWatchers.has(running)) {
      ofHost(asyncId)
      return
    }
    const process = running
    const { destroyedIds } = process
    destroyedIds.push(asyncId)
    if (destroyedIds.length > 1) return
    process.loop.unrefImmediate(() => {
      process.guarded(() => {
        for (let i = 0; i < destroyedIds.length; i++) nativeHooks.destroy(destroyedIds[i])
      })
      destroyedIds.length = 0
    })
  }
}
