/**
 * What the instances of processes have in common: each has a `process` object and an `os` module of its own, and yet
 * `process.nextTick` and `os.freemem` are the same functions in all of them. Nothing but a comparison shows which parts
 * these are. So the first instance of a thread is walked and recorded before its program sees it, one of a later world is
 * walked too, and what was met twice is shared. Until then, the parts of the first are put back after every world: if they
 * are not shared, they belong to a dead process, and nothing sees it.
 *
 * Some modules give a shared part a member whenever they are loaded (`os.freemem[Symbol.toPrimitive]`). The member is then
 * not what it was when the second instance arrives, and may be anything from then on: no process sees it without having
 * loaded the module, and so without having defined it anew.
 */
import type { RealmWalk } from './realm-walk.ts'
import {
  isUntouched,
  looseMembers,
  putBack,
  watchObject,
  withLooseMembers,
  type Leak,
  type WatchedObject,
} from './watched-object.ts'

/** The parts of the first instance, as they were before its program saw them. */
interface First {
  readonly world: number
  readonly parts: Map<object, WatchedObject>
  /** What programs have changed since. */
  readonly leaks: Leak[]
}

export class SharedParts {
  private readonly firsts = new Map<string, First>()
  private readonly known = new Set<string>()
  private readonly walk: RealmWalk
  private readonly found: (part: WatchedObject) => void
  private world = 0

  /** `found` is called with every shared part, once. */
  constructor(walk: RealmWalk, found: (part: WatchedObject) => void) {
    this.walk = walk
    this.found = found
  }

  /**
   * A process has got its instance, before its program sees it; those of a kind are compared. Returns what was changed in
   * shared parts before they were known to be shared.
   */
  look(path: string, instance: object, kind: string): readonly Leak[] {
    const key = `${path} ${kind}`
    if (this.known.has(key)) return []
    const first = this.firsts.get(key)
    if (first === undefined) {
      const parts = new Map<object, WatchedObject>()
      this.walk.aside(path, instance, (at, object) => parts.set(object, watchObject(at, object)))
      this.firsts.set(key, { world: this.world, parts, leaks: [] })
      return []
    }
    // In a world of the same programs, they may have changed something already.
    if (first.world === this.world) return []
    this.firsts.delete(key)
    this.known.add(key)
    const beginnings: string[] = []
    const definedAnew = new Set<string>()
    this.walk.aside(path, instance, (_, object) => {
      const before = first.parts.get(object)
      if (before === undefined) return
      const part = isUntouched(before) ? before : withLooseMembers(before)
      this.found(part)
      beginnings.push(`${part.path}.`)
      for (const member of looseMembers(part)) definedAnew.add(member)
    })
    return first.leaks.filter(
      ({ path: member }) =>
        !definedAnew.has(member) && beginnings.some((beginning) => member.startsWith(beginning)),
    )
  }

  /** A world is over. */
  restore(): void {
    this.world++
    for (const { parts, leaks } of this.firsts.values())
      for (const part of parts.values()) if (!isUntouched(part)) putBack(part, leaks)
  }
}
