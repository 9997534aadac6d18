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

export class RaceCollection {
  readonly beforeEach: Hook[] = []
  readonly afterEach: Hook[] = []
  private readonly races = new Map<string, DeclaredRace>()

  add(race: DeclaredRace): void {
    if (this.races.has(race.title)) {
      throw new UsageError(
        'ERR_WAVETANK_RACE_TITLE',
        `race: two races of one file are called "${race.title}". A race is found by its title: give each its own.`,
      )
    }
    this.races.set(race.title, race)
  }

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
