/**
 * `node:inspector` as programs get it: frameworks import it and ask whether a debugger is attached. None is, and none can
 * be: it would drive the real thread, with every simulated process in it. So questions are answered, and only what would
 * attach a debugger is refused.
 */
import { UnsupportedError } from '../bindings/binding.ts'

function refuse(call: string): never {
  throw new UnsupportedError(
    `${call} is not available in the tank: the inspector drives the real thread, with every simulated process in it`,
  )
}

export function isInspector(id: string): boolean {
  return id === 'inspector' || id === 'inspector/promises'
}

/** The module, made of a program's own `events` and console. */
export function inspectorStandIn(EventEmitter: new () => object, console: unknown): object {
  class Session extends EventEmitter {
    connect(): never {
      return refuse('inspector.Session.connect()')
    }
    connectToMainThread(): never {
      return refuse('inspector.Session.connectToMainThread()')
    }
    post(): never {
      throw Object.assign(new Error('Session is not connected'), { code: 'ERR_INSPECTOR_NOT_CONNECTED' })
    }
    disconnect(): void {}
  }
  const nothing = (): void => {}
  const events = new Proxy({}, { get: () => nothing })
  return {
    Session,
    console,
    url: () => undefined,
    open: () => refuse('inspector.open()'),
    close: nothing,
    waitForDebugger() {
      throw Object.assign(new Error('Inspector is not active'), { code: 'ERR_INSPECTOR_NOT_ACTIVE' })
    },
    Network: events,
    NetworkResources: events,
    DOMStorage: events,
  }
}
