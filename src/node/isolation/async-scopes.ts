/**
 * The stack of async scopes of the thread. Node's library expects it to be empty when a libuv callback begins, and
 * empties it when an uncaught exception was handled. During a burst the host's own scopes are therefore put aside.
 */
import { checkedLeave, routeDestroyedIds } from './async-hooks.ts'
import type { Binding, Internals } from '../library/internals.ts'

interface Scope {
  readonly asyncId: number
  readonly triggerAsyncId: number
  readonly resource: object
}

export class AsyncScopes {
  private readonly wrap: Binding
  private readonly hooks: any
  private readonly frames: any
  private readonly leave: (asyncId: number) => void
  private saved: Scope[] = []
  private savedFrame: unknown

  constructor(internals: Internals) {
    routeDestroyedIds(internals)
    this.wrap = internals.internalBinding('async_wrap')
    this.hooks = internals.require('internal/async_hooks')
    this.leave = checkedLeave(this.hooks.popAsyncContext, internals)
    // Node 24 and later keep the stores of AsyncLocalStorage in a frame beside the stack.
    const frames = internals.builtinIds.includes('internal/async_context_frame')
      ? internals.require('internal/async_context_frame')
      : null
    this.frames = typeof frames?.current === 'function' && typeof frames.set === 'function' ? frames : null
  }

  get depth(): number {
    return this.wrap.async_hook_fields[this.wrap.constants.kStackLength] as number
  }

  /** The last async id given out. Every process counts its own, so that they do not depend on what ran before. */
  get lastId(): number {
    return this.wrap.async_id_fields[this.wrap.constants.kAsyncIdCounter] as number
  }

  set lastId(id: number) {
    this.wrap.async_id_fields[this.wrap.constants.kAsyncIdCounter] = id
  }

  /** Puts the host's scopes aside. */
  save(): void {
    const { async_id_fields: ids, execution_async_resources: resources, constants } = this.wrap
    while (this.depth > 0) {
      const asyncId = ids[constants.kExecutionAsyncId] as number
      const triggerAsyncId = ids[constants.kTriggerAsyncId] as number
      const resource = (resources[this.depth - 1] ?? this.hooks.executionAsyncResource()) as object
      this.saved.push({ asyncId, triggerAsyncId, resource })
      this.hooks.popAsyncContext(asyncId)
    }
    this.savedFrame = this.frames?.current()
    this.frames?.set(undefined)
  }

  restore(): void {
    this.clear()
    // By index: a program may have taken the iterators away.
    for (let i = this.saved.length - 1; i >= 0; i--) {
      const { asyncId, triggerAsyncId, resource } = this.saved[i]
      this.hooks.pushAsyncContext(asyncId, triggerAsyncId, resource)
    }
    this.saved = []
    this.frames?.set(this.savedFrame)
  }

  /** Leaves all scopes, after a throw. */
  clear(): void {
    if (this.depth > 0) this.wrap.clearAsyncIdStack()
    this.frames?.set(undefined)
  }

  /**
   * Runs something inside a scope that native code entered and will leave: scopes that are left open (a process that
   * exits) are closed, and when an uncaught exception has emptied the stack, it stays empty, which native code bears.
   */
  within(run: () => void): void {
    const { async_id_fields: ids, constants } = this.wrap
    const { depth } = this
    const asyncId = ids[constants.kExecutionAsyncId] as number
    run()
    while (this.depth > depth) this.hooks.popAsyncContext(ids[constants.kExecutionAsyncId])
    if (this.depth > 0 && ids[constants.kExecutionAsyncId] !== asyncId) this.clear()
  }

  /** Runs something in the scope of the main script, which has no resource of its own. */
  asMain(run: () => void): void {
    this.hooks.pushAsyncContext(1, 0, {})
    run()
    if (this.depth > 0) this.leave(1)
  }
}
