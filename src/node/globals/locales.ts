/**
 * Methods of the language whose result depends on the default locale, and those of dates that depend on the time zone as
 * well: while a process runs, both are its own.
 */
import { region } from '../isolation/region.ts'
import { isElsewhere, isForeign } from './local-time.ts'
import { ownMethod } from './own-members.ts'

/** The classes of a realm whose methods these are. */
export type LocaleClasses = Readonly<Record<'Number' | 'BigInt' | 'String' | 'Date', { prototype: object }>>

/** Options with the process's time zone where they name none. */
export function withZone(options: unknown): unknown {
  if (options === null || !isElsewhere()) return options
  if (options === undefined) return { timeZone: region.zone }
  if ((Object(options) as { timeZone?: unknown }).timeZone !== undefined) return options
  return Object.create(Object(options) as object, { timeZone: { value: region.zone } }) as object
}

/** By class and method: at which argument the locale is. */
const METHODS: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  Number: { toLocaleString: 0 },
  BigInt: { toLocaleString: 0 },
  String: { localeCompare: 1 }, // changes of case know no default locale: the engine leaves Turkish to those who name it
}

const OF_DATES = ['toLocaleString', 'toLocaleDateString', 'toLocaleTimeString']

/** Makes the methods of a realm's classes those of the running process's region. */
export function keepLocale(realm: LocaleClasses): void {
  for (const [name, methods] of Object.entries(METHODS))
    for (const [method, at] of Object.entries(methods))
      localise(realm[name as 'Number'].prototype, method, at)
  for (const method of OF_DATES) localise(realm.Date.prototype, method, 0, withZone)
}

function localise(
  prototype: object,
  name: string,
  at: number,
  complete: (options: unknown) => unknown = (options) => options,
): void {
  ownMethod(prototype, name, (real: (...args: unknown[]) => unknown) => {
    return function (this: unknown, ...args: unknown[]): unknown {
      if (!isForeign()) return Reflect.apply(real, this, args)
      const [locales = region.locale, options] = args.slice(at)
      return Reflect.apply(real, this, [...(at === 0 ? [] : [args[0]]), locales, complete(options)])
    }
  })
}
