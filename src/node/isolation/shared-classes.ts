/**
 * Classes that all processes share with the host, and that would show them the real world: an event's time stamp is read
 * from the engine's clock when it is made, and object URLs are random. While a process runs, both are its own, and so
 * are the signals that shared streams compose: since Node 22 the host's class takes none but its own.
 */
import { VirtualDate } from '../globals/date.ts'
import { keepLocale } from '../globals/locales.ts'
import { ownConstructor } from '../globals/own-members.ts'
import { running } from '../process/current.ts'
import { disableStoresWithProcess } from './async-hooks.ts'
import { keepChangesRevocable } from './lasting-changes.ts'
import type { Internals } from '../library/internals.ts'

export function adaptSharedClasses(internals: Internals): void {
  stampEvents(internals)
  nameObjectUrls(internals)
  composeSignals(internals)
  ownConstructor(Date.prototype, Date, VirtualDate)
  keepLocale(globalThis)
  keepChangesRevocable()
  disableStoresWithProcess(internals)
}

/** The stamp is a private field of the host's class: a process's events are stamped at the first look. */
function stampEvents(internals: Internals): void {
  const { prototype } = internals.require('internal/event_target').Event
  const original = Object.getOwnPropertyDescriptor(prototype, 'timeStamp')!
  const real = original.get!
  const stamps = new WeakMap<object, number>()
  const { get } = Object.getOwnPropertyDescriptor(
    {
      get timeStamp(): number {
        const stamp = Reflect.apply(real, this, []) as number // throws when `this` is no event
        if (running === null) return stamp
        let own = stamps.get(this)
        if (own === undefined) stamps.set(this, (own = running.global.performance.now() as number))
        return own
      },
    },
    'timeStamp',
  )!
  Object.defineProperty(prototype, 'timeStamp', { ...original, get })
}

function nameObjectUrls(internals: Internals): void {
  const { URL } = internals.require('internal/url')
  const { kHandle } = internals.require('internal/blob')
  const { storeDataObject } = internals.internalBinding('blob')
  const { createObjectURL: create, revokeObjectURL: revoke } = URL
  const original = Object.getOwnPropertyDescriptor(URL, 'createObjectURL')!
  const { createObjectURL } = {
    createObjectURL(blob: any): string {
      const url = Reflect.apply(create, URL, [blob]) as string // checks its argument
      if (running === null) return url
      Reflect.apply(revoke, URL, [url])
      const id: string = running.modules.require('crypto').randomUUID()
      storeDataObject(id, blob[kHandle], blob.size, blob.type)
      return `blob:nodedata:${id}`
    },
  }
  Object.defineProperty(URL, 'createObjectURL', { ...original, value: createObjectURL })
}

function composeSignals(internals: Internals): void {
  const { AbortSignal } = internals.require('internal/abort_controller')
  const original = Object.getOwnPropertyDescriptor(AbortSignal, 'any')!
  const { any } = {
    any(signals: unknown): unknown {
      const foreign = Array.isArray(signals) && signals.some((signal) => !(signal instanceof AbortSignal))
      if (running === null || !foreign) return Reflect.apply(original.value, AbortSignal, [signals])
      return running.modules.require('internal/abort_controller').AbortSignal.any(signals)
    },
  }
  Object.defineProperty(AbortSignal, 'any', { ...original, value: any })
}
