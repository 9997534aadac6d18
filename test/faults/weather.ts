/** A toy in the weather of chosen families. */
import { LEVELS, simulation, type FamilyName, type Rate, type Simulation } from '../../src/index.ts'
import { RATES, USUAL_RATE, type Toy } from './toy.ts'

const WINDOW_MS = 4000

export function inWeather(toy: Toy, families: readonly FamilyName[]): Simulation {
  const rates = Object.fromEntries(families.map((family) => [family, RATES[family] ?? USUAL_RATE])) as Record<
    FamilyName,
    Rate
  >
  return simulation(`toy of ${toy.family}`, {
    processes: {
      n: {
        count: toy.count,
        run: toy.run,
        onExit: 'restart',
        ...(toy.variants === undefined ? {} : { variants: toy.variants }),
      },
    },
    workload: {
      clients: 1,
      operations: 1,
      spanMs: 0,
      run: () => new Promise((resolve) => setTimeout(resolve, WINDOW_MS)),
    },
    invariants: {
      [toy.assumption]:
        toy.invariant?.() ??
        (({ events }) => (events.last('broken') === null ? true : String(events.last('broken')!.data))),
    },
    ...toy.more,
    budget: toy.budget ?? {},
    levels: {
      sunny: {
        swarm: false,
        windowMs: [WINDOW_MS, WINDOW_MS],
        links: { latency: { kind: 'constant', us: 300 }, split: 0 },
        families: rates,
        attrition: { ...LEVELS.sunny.attrition, stop: 0, kill: 0, powerLoss: 1 },
      },
    },
  })
}
