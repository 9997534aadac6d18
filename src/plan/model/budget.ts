/**
 * Budgets: how much of a scenario must run before a verdict of a tier may be given. Written as pairs with commas between:
 * `seeds 100, level stormy, operations 1000, timeout 10m`. A tier without a budget says why, and when to look again:
 * `not provided: needs a week of machines. Revisit when: there is a fleet.`
 */
import { z } from 'zod'

export const TIERS = ['smoke', 'hardening', 'release'] as const
export type Tier = (typeof TIERS)[number]

export const budgetSchema = z.strictObject({
  seeds: z.int().min(1).meta({ description: 'seeds, or repetitions of a run without seeds' }),
  operations: z
    .int()
    .min(0)
    .default(0)
    .meta({ description: 'completed operations at least, over all seeds' }),
  level: z
    .enum(['sunny', 'stormy', 'radioactive'])
    .nullable()
    .default(null)
    .meta({ description: 'of a simulation' }),
  iterations: z.int().min(1).nullable().default(null).meta({ description: 'schedules per seed, of a race' }),
  faults: z
    .enum(['on', 'off'])
    .default('on')
    .meta({ description: 'off: a smoke test without the planned faults' }),
  durationMs: z.number().min(0).default(0).meta({ description: 'wall time that the run must last' }),
  timeoutMs: z.number().min(1).nullable().default(null).meta({ description: 'when a hanging run is ended' }),
})

export type Budget = z.infer<typeof budgetSchema>

export const absentBudgetSchema = z.strictObject({
  absent: z.string().min(1).meta({ description: 'why there is no budget' }),
  revisit: z.string().min(1).meta({ description: 'when to look again' }),
})

/** What a tier has when the plan sets no time-out. */
export const DEFAULT_TIMEOUT_MS: Readonly<Record<Tier, number>> = {
  smoke: 120_000,
  hardening: 1_800_000,
  release: 21_600_000,
}

/** A smoke test may run in calm weather; harder tiers never. */
export function plansFaults(budget: Budget | null, tier: Tier): boolean {
  return !(tier === 'smoke' && (budget?.level === 'sunny' || budget?.faults === 'off'))
}

const KEYS: Readonly<Record<string, keyof Budget>> = {
  seeds: 'seeds',
  operations: 'operations',
  level: 'level',
  iterations: 'iterations',
  faults: 'faults',
  duration: 'durationMs',
  timeout: 'timeoutMs',
}

/** As data, still to be validated; a string says what cannot be read. */
export function readBudget(text: string): Record<string, unknown> | string {
  const absent = /^not provided\s*[:—–-]\s*(.+?)\.?\s+Revisit when\s*:\s*(.+?)\.?$/is.exec(text)
  if (absent !== null) return { absent: absent[1], revisit: absent[2] }
  if (/^not provided/i.test(text))
    return 'a tier without a budget reads `not provided: reason. Revisit when: condition.`'
  const budget: Record<string, unknown> = {}
  for (const pair of text.split(',')) {
    const [, name, value] = /^\s*(\w+)\s*[≥:=]?\s*(\S+)\s*$/.exec(pair) ?? []
    const key = name === undefined ? undefined : KEYS[name]
    if (key === undefined)
      return `"${pair.trim()}" is no part of a budget; the parts are ${Object.keys(KEYS).join(', ')}, such as \`seeds 100, level stormy\``
    budget[key] = key === 'level' || key === 'faults' ? value : quantity(value)
  }
  return budget
}

const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, '': 1 }

function quantity(text: string): number {
  const [, number, unit] = /^([\d_.]+)(ms|s|m|h|)$/.exec(text) ?? []
  return number === undefined ? NaN : Number(number.replaceAll('_', '')) * UNITS[unit]
}
