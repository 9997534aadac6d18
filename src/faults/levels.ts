/**
 * Levels: how bad the weather is, as data. Sunny has jitter and small segments but no fault; stormy has what every
 * system meets in production; radioactive has the whole catalogue: more of it, and what few systems survive by accident,
 * such as crash loops, cascades, disks that fail and links that damage. What a correct system may not survive strikes
 * only as far as the budget allows. One family is in no level: no program that reads with Node's own `fs.promises` survives
 * `short-read`, since `readFile` there takes a read that is too short for the end of the file.
 *
 * A family strikes on a beat: in every `everyMs` of the chaos window it strikes with probability `chance`, at a moment
 * within that beat, for a duration within `durationMs`. Rates never fall from one level to the next.
 *
 * Users write probabilities as fractions; the world counts in parts per million ({@link ppmOf}).
 */
import { round } from '../kernel/arithmetic.ts'
import { UsageError } from '../kernel/errors.ts'
import type { LinkWeather } from './link-weather.ts'

export type LevelName = 'sunny' | 'stormy' | 'radioactive'

export const LEVEL_NAMES: readonly LevelName[] = ['sunny', 'stormy', 'radioactive']

/** How often a family strikes, and for how long. */
export interface Rate {
  /** The length of a beat, in virtual milliseconds. */
  readonly everyMs: number
  /** The probability of a strike in a beat: a fraction, 0 to 1. */
  readonly chance: number
  /** How long a strike lasts, in virtual milliseconds. */
  readonly durationMs: readonly [least: number, most: number]
}

export const FAMILY_NAMES = [
  'partition',
  'one-way-cut',
  'slow-link',
  'loss',
  'bandwidth',
  'reorder',
  'duplicate',
  'reset',
  'corrupt',
  'pause',
  'reboot',
  'clock-jump',
  'clock-drift',
  'disk-slow',
  'disk-full',
  'disk-error',
  'sync-error',
  'lying-sync',
  'bit-rot',
  'misdirected-write',
  'loop-stall',
  'crash-loop',
  'mass-restart',
  'rolling-restart',
  'cascade',
  'out-of-memory',
  'latency-spike',
  'slow-pairs',
  'clog',
  'swizzle',
  'refuse',
  'connect-hang',
  'half-open',
  'byzantine',
  'file-limit',
  'short-read',
  'phantom-write',
  'disk-throttle',
  'torn-write',
  'reordered-writes',
  'lost-rename',
  'disk-wipe',
  'clock-back',
  'clock-slow',
  'mixed-version',
  'config-divergence',
  'membership',
] as const

export type FamilyName = (typeof FAMILY_NAMES)[number]

/**
 * The shapes of a partition: one host alone; two random sides; fewer than half, or more than half, of the system against
 * all others; two sides with one host that sees both; a ring in which every host sees a different majority; the host of
 * the leader alone; and two sides of the system that clients both reach.
 */
export const PARTITION_SHAPES = [
  'isolate',
  'halves',
  'minority',
  'majority',
  'bridge',
  'majorities-ring',
  'leader',
  'split-brain',
] as const

export type PartitionShape = (typeof PARTITION_SHAPES)[number]

/** How reboots are drawn. Weights are relative; if all are 0, every reboot is a `kill`. */
export interface Attrition {
  /** SIGTERM, then SIGKILL after the grace. */
  readonly stop: number
  /** SIGKILL: what was written survives, memory does not. */
  readonly kill: number
  /** The machine loses power: what was not synced is lost, torn or reordered. */
  readonly powerLoss: number
  /** The machine comes back with an empty disk; needs a budget for lying disks. */
  readonly wipe: number
  /** Virtual milliseconds between SIGTERM and SIGKILL. */
  readonly graceMs: readonly [least: number, most: number]
  /** Weights of what goes down as one. */
  readonly scope: { readonly process: number; readonly machine: number; readonly zone: number }
}

export interface Weather {
  /**
   * Whether each family, and each way in which reboots go down, is off in half of all seeds: what does not happen matters
   * as much as what does.
   */
  readonly swarm: boolean
  /** Length of the chaos window, in virtual milliseconds. */
  readonly windowMs: readonly [least: number, most: number]
  /** What all links do all the time: not faults, but what a network is like. */
  readonly links: LinkWeather
  /** The rates of the fault families; a family that is not here, or is `null`, is off. */
  readonly families: Readonly<Partial<Record<FamilyName, Rate | null>>>
  readonly attrition: Attrition
  /** The shapes that partitions take, each as likely as the others. */
  readonly partitions: readonly PartitionShape[]
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
  links: { latency: { kind: 'exponential', minUs: 100, meanUs: 300, maxUs: 20_000 }, split: 0.02 },
  families: {},
  attrition: CALM_ATTRITION,
  partitions: ['isolate', 'halves'],
  seeds: 10,
}

const STORMY: Weather = {
  swarm: true,
  windowMs: [3000, 10_000],
  links: { latency: { kind: 'exponential', minUs: 100, meanUs: 1000, maxUs: 100_000 }, split: 0.1 },
  families: {
    partition: { everyMs: 1000, chance: 0.25, durationMs: [100, 3000] },
    'one-way-cut': { everyMs: 1000, chance: 0.1, durationMs: [100, 2000] },
    'slow-link': { everyMs: 1000, chance: 0.2, durationMs: [200, 3000] },
    loss: { everyMs: 1000, chance: 0.2, durationMs: [200, 3000] },
    bandwidth: { everyMs: 2000, chance: 0.1, durationMs: [200, 2000] },
    reorder: { everyMs: 1000, chance: 0.15, durationMs: [200, 3000] },
    duplicate: { everyMs: 1000, chance: 0.15, durationMs: [200, 3000] },
    reset: { everyMs: 1000, chance: 0.2, durationMs: [0, 0] },
    pause: { everyMs: 1000, chance: 0.2, durationMs: [50, 3000] },
    reboot: { everyMs: 500, chance: 0.3, durationMs: [50, 2000] },
    'clock-jump': { everyMs: 1000, chance: 0.2, durationMs: [500, 5000] },
    'clock-drift': { everyMs: 2000, chance: 0.15, durationMs: [1000, 5000] },
    'disk-slow': { everyMs: 1000, chance: 0.15, durationMs: [100, 2000] },
    'loop-stall': { everyMs: 2000, chance: 0.1, durationMs: [100, 2000] },
    'rolling-restart': { everyMs: 3000, chance: 0.1, durationMs: [500, 3000] },
    'out-of-memory': { everyMs: 2000, chance: 0.05, durationMs: [50, 2000] },
    'latency-spike': { everyMs: 2000, chance: 0.1, durationMs: [200, 3000] },
    'slow-pairs': { everyMs: 3000, chance: 0.1, durationMs: [500, 3000] },
    clog: { everyMs: 2000, chance: 0.1, durationMs: [100, 2000] },
    refuse: { everyMs: 2000, chance: 0.1, durationMs: [50, 2000] },
    'connect-hang': { everyMs: 2000, chance: 0.1, durationMs: [50, 2000] },
    'half-open': { everyMs: 2000, chance: 0.05, durationMs: [100, 2000] },
    'disk-throttle': { everyMs: 2000, chance: 0.1, durationMs: [100, 2000] },
    'clock-back': { everyMs: 3000, chance: 0.1, durationMs: [500, 5000] },
    'clock-slow': { everyMs: 3000, chance: 0.1, durationMs: [1000, 5000] },
    'mixed-version': { everyMs: 3000, chance: 0.15, durationMs: [500, 5000] },
    'config-divergence': { everyMs: 3000, chance: 0.1, durationMs: [500, 5000] },
    membership: { everyMs: 3000, chance: 0.15, durationMs: [500, 3000] },
  },
  attrition: CALM_ATTRITION,
  partitions: ['isolate', 'halves', 'minority', 'majority', 'bridge', 'majorities-ring'],
  seeds: 100,
}

const RADIOACTIVE: Weather = {
  swarm: true,
  windowMs: [5000, 20_000],
  links: { latency: { kind: 'exponential', minUs: 100, meanUs: 3000, maxUs: 500_000 }, split: 0.2 },
  families: {
    partition: { everyMs: 1000, chance: 0.4, durationMs: [100, 5000] },
    'one-way-cut': { everyMs: 1000, chance: 0.2, durationMs: [100, 5000] },
    'slow-link': { everyMs: 1000, chance: 0.3, durationMs: [200, 5000] },
    loss: { everyMs: 1000, chance: 0.3, durationMs: [200, 5000] },
    bandwidth: { everyMs: 2000, chance: 0.2, durationMs: [200, 5000] },
    reorder: { everyMs: 1000, chance: 0.25, durationMs: [200, 5000] },
    duplicate: { everyMs: 1000, chance: 0.25, durationMs: [200, 5000] },
    reset: { everyMs: 1000, chance: 0.4, durationMs: [0, 0] },
    corrupt: { everyMs: 1000, chance: 0.1, durationMs: [100, 2000] },
    pause: { everyMs: 1000, chance: 0.3, durationMs: [50, 8000] },
    reboot: { everyMs: 500, chance: 0.4, durationMs: [50, 5000] },
    'clock-jump': { everyMs: 1000, chance: 0.3, durationMs: [500, 10_000] },
    'clock-drift': { everyMs: 2000, chance: 0.25, durationMs: [1000, 10_000] },
    'disk-slow': { everyMs: 1000, chance: 0.25, durationMs: [100, 5000] },
    'disk-full': { everyMs: 2000, chance: 0.15, durationMs: [200, 3000] },
    'disk-error': { everyMs: 2000, chance: 0.15, durationMs: [100, 2000] },
    'sync-error': { everyMs: 2000, chance: 0.15, durationMs: [100, 2000] },
    'lying-sync': { everyMs: 2000, chance: 0.15, durationMs: [200, 5000] },
    'bit-rot': { everyMs: 2000, chance: 0.1, durationMs: [100, 2000] },
    'misdirected-write': { everyMs: 2000, chance: 0.1, durationMs: [100, 2000] },
    'loop-stall': { everyMs: 2000, chance: 0.15, durationMs: [100, 5000] },
    'crash-loop': { everyMs: 3000, chance: 0.1, durationMs: [500, 5000] },
    'mass-restart': { everyMs: 3000, chance: 0.1, durationMs: [50, 2000] },
    'rolling-restart': { everyMs: 3000, chance: 0.15, durationMs: [500, 5000] },
    cascade: { everyMs: 3000, chance: 0.1, durationMs: [500, 3000] },
    'out-of-memory': { everyMs: 2000, chance: 0.1, durationMs: [50, 5000] },
    'latency-spike': { everyMs: 2000, chance: 0.15, durationMs: [200, 5000] },
    'slow-pairs': { everyMs: 3000, chance: 0.15, durationMs: [500, 5000] },
    clog: { everyMs: 2000, chance: 0.15, durationMs: [100, 5000] },
    swizzle: { everyMs: 3000, chance: 0.1, durationMs: [500, 5000] },
    refuse: { everyMs: 2000, chance: 0.15, durationMs: [50, 3000] },
    'connect-hang': { everyMs: 2000, chance: 0.15, durationMs: [50, 3000] },
    'half-open': { everyMs: 2000, chance: 0.1, durationMs: [100, 5000] },
    byzantine: { everyMs: 2000, chance: 0.1, durationMs: [100, 2000] },
    'file-limit': { everyMs: 2000, chance: 0.1, durationMs: [100, 1000] },
    'phantom-write': { everyMs: 2000, chance: 0.1, durationMs: [100, 2000] },
    'disk-throttle': { everyMs: 2000, chance: 0.15, durationMs: [100, 5000] },
    'torn-write': { everyMs: 3000, chance: 0.1, durationMs: [50, 2000] },
    'reordered-writes': { everyMs: 3000, chance: 0.1, durationMs: [50, 2000] },
    'lost-rename': { everyMs: 3000, chance: 0.1, durationMs: [50, 2000] },
    'disk-wipe': { everyMs: 3000, chance: 0.05, durationMs: [50, 2000] },
    'clock-back': { everyMs: 3000, chance: 0.15, durationMs: [500, 10_000] },
    'clock-slow': { everyMs: 3000, chance: 0.15, durationMs: [1000, 10_000] },
    'mixed-version': { everyMs: 3000, chance: 0.2, durationMs: [500, 10_000] },
    'config-divergence': { everyMs: 3000, chance: 0.15, durationMs: [500, 10_000] },
    membership: { everyMs: 3000, chance: 0.2, durationMs: [500, 5000] },
  },
  attrition: { ...CALM_ATTRITION, wipe: 1, scope: { process: 3, machine: 2, zone: 1 } },
  partitions: PARTITION_SHAPES,
  seeds: 1000,
}

export const LEVELS: Readonly<Record<LevelName, Weather>> = {
  sunny: SUNNY,
  stormy: STORMY,
  radioactive: RADIOACTIVE,
}

/** What a simulation may change of a level: any part; a family set to `null` is off. */
export type WeatherChanges = Partial<Omit<Weather, 'attrition'>> & { readonly attrition?: Partial<Attrition> }

/** A level with a simulation's own changes. */
export function weatherOf(level: LevelName, changes: WeatherChanges | undefined): Weather {
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

/** Parts per million, in which the world counts, from a fraction. */
export function ppmOf(chance: number): number {
  return round(chance * 1_000_000)
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
