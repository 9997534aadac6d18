/**
 * Levels: how bad the weather is, as data. Sunny has jitter and small segments but no fault; stormy has what every
 * system meets in production; radioactive has more of it, and what few systems survive by accident: disks that fail and
 * links that damage, as far as the budget allows.
 *
 * A family strikes on a beat: every `everyMs` of the chaos window it strikes with `ppm`, at a moment within that beat,
 * for a duration within `durationMs`. Rates never fall from one level to the next.
 */
import type { LinkConfig } from '../world/network/link.ts'
import { UsageError } from '../kernel/errors.ts'

export type LevelName = 'sunny' | 'stormy' | 'radioactive'

export const LEVEL_NAMES: readonly LevelName[] = ['sunny', 'stormy', 'radioactive']

/** How often a family strikes, and for how long. */
export interface Rate {
  readonly everyMs: number
  readonly ppm: number
  readonly durationMs: readonly [least: number, most: number]
}

export type FamilyName =
  | 'partition'
  | 'one-way-cut'
  | 'slow-link'
  | 'loss'
  | 'bandwidth'
  | 'reorder'
  | 'duplicate'
  | 'reset'
  | 'corrupt'
  | 'pause'
  | 'reboot'
  | 'clock-jump'
  | 'clock-drift'
  | 'disk-slow'
  | 'disk-full'
  | 'disk-error'
  | 'sync-error'
  | 'lying-sync'
  | 'bit-rot'
  | 'misdirected-write'

/** How reboots are drawn. Weights are relative; all zero means crash. */
export interface Attrition {
  /** SIGTERM, then SIGKILL after the grace. */
  readonly stop: number
  /** SIGKILL: what was written survives, memory does not. */
  readonly kill: number
  /** The machine loses power: what was not synced is lost, torn or reordered. */
  readonly powerLoss: number
  /** The machine comes back empty: needs a budget for lying disks. */
  readonly wipe: number
  readonly graceMs: readonly [least: number, most: number]
  /** What goes down as one. */
  readonly scope: { readonly process: number; readonly machine: number; readonly zone: number }
}

export interface Weather {
  /** Each family is off in half of all seeds: what does not happen matters as much as what does. */
  readonly swarm: boolean
  /** Length of the chaos window. */
  readonly windowMs: readonly [least: number, most: number]
  /** All links, all the time: not faults, but what a network is like. */
  readonly links: Partial<LinkConfig>
  readonly families: Readonly<Partial<Record<FamilyName, Rate>>>
  readonly attrition: Attrition
  /** How many seeds the level is usually run with. */
  readonly seeds: number
}

const CALM_ATTRITION: Attrition = {
  stop: 1,
  kill: 2,
  powerLoss: 4,
  wipe: 0,
  graceMs: [500, 3000],
  scope: { process: 4, machine: 1, zone: 0 },
}

const SUNNY: Weather = {
  swarm: false,
  windowMs: [2000, 2000],
  links: { latency: { kind: 'exponential', minUs: 100, meanUs: 300, maxUs: 20_000 }, splitPpm: 20_000 },
  families: {},
  attrition: CALM_ATTRITION,
  seeds: 10,
}

const STORMY: Weather = {
  swarm: true,
  windowMs: [3000, 10_000],
  links: { latency: { kind: 'exponential', minUs: 100, meanUs: 1000, maxUs: 100_000 }, splitPpm: 100_000 },
  families: {
    partition: { everyMs: 1000, ppm: 250_000, durationMs: [100, 3000] },
    'one-way-cut': { everyMs: 1000, ppm: 100_000, durationMs: [100, 2000] },
    'slow-link': { everyMs: 1000, ppm: 200_000, durationMs: [200, 3000] },
    loss: { everyMs: 1000, ppm: 200_000, durationMs: [200, 3000] },
    bandwidth: { everyMs: 2000, ppm: 100_000, durationMs: [200, 2000] },
    reorder: { everyMs: 1000, ppm: 150_000, durationMs: [200, 3000] },
    duplicate: { everyMs: 1000, ppm: 150_000, durationMs: [200, 3000] },
    reset: { everyMs: 1000, ppm: 200_000, durationMs: [0, 0] },
    pause: { everyMs: 1000, ppm: 200_000, durationMs: [50, 3000] },
    reboot: { everyMs: 500, ppm: 300_000, durationMs: [50, 2000] },
    'clock-jump': { everyMs: 1000, ppm: 200_000, durationMs: [500, 5000] },
    'clock-drift': { everyMs: 2000, ppm: 150_000, durationMs: [1000, 5000] },
    'disk-slow': { everyMs: 1000, ppm: 150_000, durationMs: [100, 2000] },
  },
  attrition: CALM_ATTRITION,
  seeds: 100,
}

const RADIOACTIVE: Weather = {
  swarm: true,
  windowMs: [5000, 20_000],
  links: { latency: { kind: 'exponential', minUs: 100, meanUs: 3000, maxUs: 500_000 }, splitPpm: 200_000 },
  families: {
    partition: { everyMs: 1000, ppm: 400_000, durationMs: [100, 5000] },
    'one-way-cut': { everyMs: 1000, ppm: 200_000, durationMs: [100, 5000] },
    'slow-link': { everyMs: 1000, ppm: 300_000, durationMs: [200, 5000] },
    loss: { everyMs: 1000, ppm: 300_000, durationMs: [200, 5000] },
    bandwidth: { everyMs: 2000, ppm: 200_000, durationMs: [200, 5000] },
    reorder: { everyMs: 1000, ppm: 250_000, durationMs: [200, 5000] },
    duplicate: { everyMs: 1000, ppm: 250_000, durationMs: [200, 5000] },
    reset: { everyMs: 1000, ppm: 400_000, durationMs: [0, 0] },
    corrupt: { everyMs: 1000, ppm: 100_000, durationMs: [100, 2000] },
    pause: { everyMs: 1000, ppm: 300_000, durationMs: [50, 8000] },
    reboot: { everyMs: 500, ppm: 400_000, durationMs: [50, 5000] },
    'clock-jump': { everyMs: 1000, ppm: 300_000, durationMs: [500, 10_000] },
    'clock-drift': { everyMs: 2000, ppm: 250_000, durationMs: [1000, 10_000] },
    'disk-slow': { everyMs: 1000, ppm: 250_000, durationMs: [100, 5000] },
    'disk-full': { everyMs: 2000, ppm: 150_000, durationMs: [200, 3000] },
    'disk-error': { everyMs: 2000, ppm: 150_000, durationMs: [100, 2000] },
    'sync-error': { everyMs: 2000, ppm: 150_000, durationMs: [100, 2000] },
    'lying-sync': { everyMs: 2000, ppm: 150_000, durationMs: [200, 5000] },
    'bit-rot': { everyMs: 2000, ppm: 100_000, durationMs: [100, 2000] },
    'misdirected-write': { everyMs: 2000, ppm: 100_000, durationMs: [100, 2000] },
  },
  attrition: { ...CALM_ATTRITION, wipe: 1, scope: { process: 3, machine: 2, zone: 1 } },
  seeds: 1000,
}

export const LEVELS: Readonly<Record<LevelName, Weather>> = {
  sunny: SUNNY,
  stormy: STORMY,
  radioactive: RADIOACTIVE,
}

/** A level by name or number, with a simulation's own changes; a family set to `null` is off. */
export function weatherOf(level: LevelName, changes: Partial<Weather> | undefined): Weather {
  const base = LEVELS[level]
  if (changes === undefined) return base
  return {
    ...base,
    ...changes,
    links: { ...base.links, ...changes.links },
    families: { ...base.families, ...changes.families },
    attrition: { ...base.attrition, ...changes.attrition },
  }
}

export function parseLevel(text: string | number): LevelName {
  const name = LEVEL_NAMES[Number(text) - 1] ?? LEVEL_NAMES.find((level) => level === text)
  if (name === undefined) {
    throw new UsageError(
      'ERR_WAVETANK_LEVEL',
      `level: expected sunny, stormy, radioactive or 1, 2, 3, not '${text}'`,
    )
  }
  return name
}
