/**
 * Finding a race by its title. While a file is loaded inside a world, `race(…)` does not declare a test to the runner
 * but puts its body here, and so do the hooks around it; everything else that the file says to its test runner is heard
 * by a stand-in that does nothing (see runner-stand-in.ts).
 */
import { UsageError } from '../kernel/errors.ts'
import type { RaceBody } from './environment.ts'

export interface DeclaredRace {
  readonly title: string
  readonly body: RaceBody
}

type Hook = () => unknown
export type HookKind = 'beforeAll' | 'beforeEach' | 'afterEach' | 'afterAll'

/** A group of tests: its hooks are for the races in it and in the groups inside it. */
class Group {
  readonly hooks: Record<HookKind, Hook[]> = { beforeAll: [], beforeEach: [], afterEach: [], afterAll: [] }
  readonly parent: Group | null
  constructor(parent: Group | null) {
    this.parent = parent
  }

  /** From the outermost group to this one. */
  private all(kind: HookKind): Hook[] {
    return [...(this.parent?.all(kind) ?? []), ...this.hooks[kind]]
  }

  /** A world is fresh: whatever is to be done once is to be done in each. */
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

export class RaceCollection {
  private readonly races = new Map<string, DeclaredRace>()
  private group = new Group(null)

  /** Runs the body of a group. */
  inGroup(body: () => unknown): void {
    const { group } = this
    this.group = new Group(group)
    try {
      body()
    } finally {
      this.group = group
    }
  }

  hook(kind: HookKind, hook: Hook): void {
    this.group.hooks[kind].push(hook)
  }

  add({ title, body }: DeclaredRace): void {
    if (this.races.has(title)) {
      throw new UsageError(
        'ERR_WAVETANK_RACE_TITLE',
        `race: two races of one file are called "${title}". A race is found by its title: give each its own.`,
      )
    }
    this.races.set(title, { title, body: this.group.around(body) })
  }

  /** A race with the hooks around it that the file declares for it. */
  find(title: string): DeclaredRace {
    const race = this.races.get(title)
    if (race !== undefined) return race
    const titles = [...this.races.keys()].map((known) => `"${known}"`).join(', ')
    throw new UsageError(
      'ERR_WAVETANK_RACE_TITLE',
      `race: loaded inside the world, the file declares no race called "${title}"; it declares ${titles === '' ? 'none' : titles}. A title must not depend on state outside the file.`,
    )
  }
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
  } finally {
    if (collecting === collection) collecting = null
  }
  return collection
}
