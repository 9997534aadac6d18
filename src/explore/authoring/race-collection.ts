/**
 * Finds a race by its name: its title, after the titles of the groups around it. While a file is loaded inside a world,
 * `race(…)` does not declare a test to the runner but adds its body here, and so do the hooks around it. All other calls of
 * the file to its test runner go to a stand-in that does nothing (see runners/runner-stand-in.ts).
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import { UsageError } from '../../kernel/errors.ts'
import type { RaceBody } from '../running/environment.ts'

export interface DeclaredRace {
  readonly title: string
  readonly body: RaceBody
}

/** A race's name from the titles of the groups around it, from the outside in, and its own; as node:test joins them. */
export function raceName(titles: readonly string[]): string {
  return titles.join(' > ')
}

type Hook = () => unknown
export type HookKind = 'beforeAll' | 'beforeEach' | 'afterEach' | 'afterAll'

/** A group of tests: its hooks are for the races in it and in the groups inside it. */
class Group {
  readonly hooks: Record<HookKind, Hook[]> = { beforeAll: [], beforeEach: [], afterEach: [], afterAll: [] }
  private readonly parent: Group | null
  /** Of the groups around it, from the outside in, and its own. */
  readonly titles: readonly string[]

  constructor(parent: Group | null, title?: string) {
    this.parent = parent
    this.titles = title === undefined ? [] : [...(parent?.titles ?? []), title]
  }

  /** From the outermost group to this one. */
  private all(kind: HookKind): Hook[] {
    return [...(this.parent?.all(kind) ?? []), ...this.hooks[kind]]
  }

  /** Every world is fresh, so `beforeAll` and `afterAll` run in each of them too. */
  around(body: RaceBody): RaceBody {
    return async (t) => {
      for (const kind of ['beforeAll', 'beforeEach'] as const) for (const hook of this.all(kind)) await hook()
      try {
        await body(t)
      } finally {
        for (const kind of ['afterEach', 'afterAll'] as const)
          for (const hook of this.all(kind).toReversed()) await hook()
      }
    }
  }
}

/** The group whose body is running, also after it awaited something. */
const groups = new AsyncLocalStorage<Group>()

export class RaceCollection {
  private readonly races = new Map<string, DeclaredRace>()
  private readonly file = new Group(null)
  /** Bodies of groups that are asynchronous. */
  private readonly unfinished: Promise<unknown>[] = []

  /** Runs the body of a group. */
  inGroup(title: string, body: () => unknown): void {
    const done = groups.run(new Group(this.group, title), body)
    if (!(done instanceof Promise)) return
    done.catch(() => {}) // `complete` reports it
    this.unfinished.push(done)
  }

  /** Waits until all groups have declared what is in them. */
  async complete(): Promise<void> {
    for (const group of this.unfinished) await group
  }

  private get group(): Group {
    return groups.getStore() ?? this.file
  }

  hook(kind: HookKind, hook: Hook): void {
    this.group.hooks[kind].push(hook)
  }

  add({ title, body }: DeclaredRace): void {
    const name = raceName([...this.group.titles, title])
    if (this.races.has(name)) {
      throw new UsageError(
        'ERR_WAVETANK_RACE_TITLE',
        `race: two races of one file are called "${name}". A race is found by its title and those of its groups: give each its own.`,
      )
    }
    this.races.set(name, { title, body: this.group.around(body) })
  }

  /** A race with the hooks around it. Its title alone is enough if no other race has it. */
  find(name: string): DeclaredRace {
    const race = this.races.get(name)
    if (race !== undefined) return race
    const [only, another] = [...this.races.values()].filter(({ title }) => isLastOf(name, title))
    if (only !== undefined && another === undefined) return only
    const names = [...this.races.keys()].map((known) => `"${known}"`).join(', ')
    throw new UsageError(
      'ERR_WAVETANK_RACE_TITLE',
      `race: loaded inside the world, the file declares no race called "${name}"; it declares ${names === '' ? 'none' : names}. A title must not depend on state outside the file.`,
    )
  }
}

function isLastOf(name: string, title: string): boolean {
  return name === title || name.endsWith(raceName(['', title]))
}

let collecting: RaceCollection | null = null

/** The collection being filled, while a file is loaded inside a world. */
export function currentCollection(): RaceCollection | null {
  return collecting
}

/** Loads a file and returns what it declared. One file is loaded at a time: a thread runs one world. */
export async function collectRaces(load: () => Promise<void>): Promise<RaceCollection> {
  const collection = new RaceCollection()
  collecting = collection
  try {
    await load()
    await collection.complete()
  } finally {
    if (collecting === collection) collecting = null
    groups.disable() // so that later code does not pay for it
  }
  return collection
}
