/**
 * The realm of a context that a program makes with `vm`: it has an engine's `Date`, `Math`, `Intl` and so on of its own,
 * which are made the process's as those of the main realm are. Most are changed in their places. Three classes are
 * replaced on the context's global object; the object that the program gave does not get them as properties.
 */
import { Script } from 'node:vm'
import { sharedObjects } from '../isolation/lasting-changes.ts'
import { running } from '../process/current.ts'
import { VirtualAtomics } from './atomics.ts'
import { exposeCollector, exposesCollector, SilentFinalizationRegistry, StrongRef } from './collector.ts'
import { virtualDate } from './date.ts'
import { VirtualTemporal, virtualIntlClasses } from './intl.ts'
import { keepLocale } from './locales.ts'
import { virtualRandom } from './math.ts'
import { keepCompilation } from './web-assembly.ts'

const GLOBAL = new Script('this')

const hidden = (value: unknown): PropertyDescriptor => {
  return { value, writable: true, configurable: true, enumerable: false }
}

/** Makes the realm of a new context the process's. `given` is the object that the program made a context of. */
export function simulateContext(context: object, given: object | null): void {
  if (running !== null) sharedObjects.isForeign = true
  const realm = GLOBAL.runInContext(context) as Record<string, any>
  const isGiven = (name: string): boolean => given !== null && name in given
  const replace = (name: string, make: () => unknown): void => {
    if (isGiven(name) || typeof realm[name] !== 'function') return
    // Set, not defined: on Node 26 a definition reaches the given object only.
    realm[name] = make()
    if (given !== null) Reflect.deleteProperty(given, name)
  }
  if (!isGiven('Date')) keepLocale(realm as any)
  replace('Date', () => {
    const Date = virtualDate(realm.Date as DateConstructor)
    Object.defineProperty(Date.prototype, 'constructor', hidden(Date))
    return Date
  })
  replace('WeakRef', () => StrongRef)
  replace('FinalizationRegistry', () => SilentFinalizationRegistry)
  if (!isGiven('Math')) Object.defineProperty(realm.Math, 'random', hidden(virtualRandom(realm.Math.random)))
  if (!isGiven('Intl')) simulateIntl(realm.Intl as object)
  if (!isGiven('WebAssembly') && realm.WebAssembly)
    keepCompilation(
      realm.WebAssembly as object,
      realm.WebAssembly as object,
      realm.Promise as PromiseConstructor,
    )
  if (!isGiven('Atomics') && realm.Atomics)
    borrow(realm.Atomics as object, VirtualAtomics, ['wait', 'waitAsync', 'notify'])
  if (!isGiven('Temporal') && realm.Temporal) {
    const { Now } = VirtualTemporal as { Now: object }
    borrow(realm.Temporal.Now as object, Now, Object.keys(Now))
  }
  if (running !== null && exposesCollector(running)) {
    exposeCollector(realm)
    // On Node 26 a context has new names on the given object only: there it stays, hidden.
    if (given !== null && Reflect.deleteProperty(given, 'gc') && !('gc' in realm)) exposeCollector(given)
  }
}

function simulateIntl(intl: object): void {
  for (const [name, Simulated] of Object.entries(virtualIntlClasses(intl))) {
    Object.defineProperty(Simulated.prototype, 'constructor', hidden(Simulated))
    Object.defineProperty(intl, name, hidden(Simulated))
  }
}

function borrow(target: object, source: object, names: readonly string[]): void {
  for (const name of names)
    if (name in target) Object.defineProperty(target, name, hidden((source as Record<string, unknown>)[name]))
}
