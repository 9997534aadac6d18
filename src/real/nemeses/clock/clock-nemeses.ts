/**
 * Wall clocks that are wrong. What counts is what a victim's own program reads: a Node program says it by itself, a
 * system is asked (`clock`). A program that shows the right time all the same was not hit.
 */
import { UsageError } from '../../../kernel/errors.ts'
import type { Cluster, ClockReading, RealNode } from '../../cluster/cluster.ts'
import type { FaultInForce, Field, Preparation, RealNemesis } from '../nemesis.ts'
import { drawTargets, nodeNames, TARGETS } from '../targets.ts'
import { fakeClock, fakeTimeLibrary, setClock } from './faketime.ts'

const LEAST_MS = 100
/** How often a drifting clock moves on; the steps are smaller than what programs notice. */
const STEP_MS = 20
const POLL_MS = 50
/** A reading is this much off by itself: it takes time, and clocks are read one after the other. */
const NOISE_MS = 40

const ON_CLOCK = { group: 'clock', variants: TARGETS, prepare } as const

function prepare({ nodes, path, budget }: Preparation): void {
  if (budget.clockSkewMs < LEAST_MS) {
    throw refused(
      `clock faults need \`budget: { clockSkewMs }\` of at least ${LEAST_MS} in the simulation, not ${budget.clockSkewMs}: smaller errors cannot be told from noise`,
    )
  }
  const library = fakeTimeLibrary()
  if (library === null)
    throw refused(
      'clock faults need libfaketime; on Debian, as root: apt-get install -y --no-install-recommends faketime',
    )
  for (const node of nodes) {
    const { system } = node.placement.definition
    if (system !== undefined && system.clock === undefined)
      throw refused(
        `clock faults on ${system.name} could not be proven: the system does not say how to ask a node for its time (\`clock\`)`,
      )
    fakeClock(node, library, path)
  }
}

function refused(reason: string): UsageError {
  return new UsageError('ERR_WAVETANK_NEMESIS', `wavetank real: ${reason}`)
}

/** Milliseconds from 100 to what the budget allows, as often small as large. */
function drawOffset({ rng, budget }: Field): number {
  const size = LEAST_MS * (budget.clockSkewMs / LEAST_MS) ** (rng.between(0, 1000) / 1000)
  return Math.round(rng.chance(0.5) ? size : -size)
}

interface Wrongness {
  readonly text: string
  readonly injector: string
  /** How far the clock of a victim is off after some time. */
  offsetMs(victim: RealNode, elapsedMs: number): number
  /** How often it changes; null: never. */
  readonly everyMs: number | null
}

/** Makes clocks wrong until the fault ends, and keeps the furthest reading of every victim that fits. */
function deceive(cluster: Cluster, victims: readonly RealNode[], wrong: Wrongness): FaultInForce {
  const beginMs = performance.now()
  const seen = new Map<RealNode, number>()
  const set = (): void => {
    for (const node of victims) setClock(node, wrong.offsetMs(node, performance.now() - beginMs))
  }
  const look = async (): Promise<void> => {
    await Promise.all(
      victims.map(async (node) => {
        const reading = await cluster.clock(node)
        if (reading === null || !isWrong(reading, beginMs, wrong, node)) return
        if (Math.abs(reading.offsetMs) > Math.abs(seen.get(node) ?? 0)) seen.set(node, reading.offsetMs)
      }),
    )
  }
  for (const { changed } of victims) changed.add('clock')
  set()
  const changing = wrong.everyMs === null ? undefined : setInterval(set, wrong.everyMs)
  const looking = setInterval(() => void look(), POLL_MS)
  const landed = (): boolean => victims.every((node) => seen.has(node))
  return {
    text: wrong.text,
    targets: victims.map(({ name }) => name),
    landed,
    async end() {
      await look()
      clearInterval(changing)
      clearInterval(looking)
      for (const node of victims) {
        setClock(node, 0)
        node.changed.delete('clock')
      }
      const readings = victims.map((node) => `${node.name} ${offsetText(seen.get(node) ?? 0)}`)
      return {
        injector: wrong.injector,
        victim: landed() ? `wall clocks as the programs read them: ${readings.join(', ')}` : null,
      }
    },
  }
}

/** Whether a reading shows the fault: the direction, and half of the distance at least. */
function isWrong(reading: ClockReading, beginMs: number, wrong: Wrongness, node: RealNode): boolean {
  const elapsedMs = reading.atMs - beginMs
  if (elapsedMs < 0) return false
  // A clock that changes may have been read just before it did.
  const meant = [elapsedMs, elapsedMs - (wrong.everyMs ?? 0)].map((ms) =>
    wrong.offsetMs(node, Math.max(0, ms)),
  )
  return meant.some(
    (offsetMs) =>
      Math.abs(offsetMs) > NOISE_MS &&
      Math.sign(reading.offsetMs) === Math.sign(offsetMs) &&
      Math.abs(reading.offsetMs - offsetMs) < NOISE_MS + Math.abs(offsetMs) / 2,
  )
}

function offsetText(offsetMs: number): string {
  return `${(Math.abs(offsetMs) / 1000).toFixed(3)} s ${offsetMs < 0 ? 'behind' : 'ahead'}`
}

export const clockSkew: RealNemesis = {
  ...ON_CLOCK,
  name: 'clock-skew',
  family: 'clock-jump',
  text: 'wall clocks are ahead or behind, each by its own distance',
  async begin(field, variant) {
    const victims = await drawTargets(field, variant, 'clock')
    if (victims.length === 0) return null
    const offsets = new Map(victims.map((node) => [node, drawOffset(field)]))
    const each = victims.map((node) => `${node.name} ${offsetText(offsets.get(node)!)}`).join(', ')
    return deceive(field.cluster, victims, {
      text: `clock skew ${each}`,
      injector: `libfaketime was given ${each}`,
      offsetMs: (node) => offsets.get(node)!,
      everyMs: null,
    })
  },
}

export const clockJump: RealNemesis = {
  ...ON_CLOCK,
  name: 'clock-jump',
  family: 'clock-back',
  text: 'wall clocks jump ahead and back, again and again',
  async begin(field, variant) {
    const victims = await drawTargets(field, variant, 'clock')
    if (victims.length === 0) return null
    const offsetMs = drawOffset(field)
    const everyMs = field.rng.between(200, 1000)
    const text = `${offsetText(offsetMs)} and right again, every ${everyMs} ms`
    return deceive(field.cluster, victims, {
      text: `clock jumps of ${nodeNames(victims)}: ${text}`,
      injector: `libfaketime was given ${text}`,
      offsetMs: (_, elapsedMs) => (Math.floor(elapsedMs / everyMs) % 2 === 0 ? offsetMs : 0),
      everyMs,
    })
  },
}

export const clockDrift: RealNemesis = {
  ...ON_CLOCK,
  name: 'clock-drift',
  family: 'clock-drift',
  text: 'wall clocks run fast or slow',
  async begin(field, variant) {
    const victims = await drawTargets(field, variant, 'clock')
    if (victims.length === 0) return null
    const percent = field.rng.between(5, 50) * (field.rng.chance(0.5) ? 1 : -1)
    const text = `${Math.abs(percent)} % ${percent < 0 ? 'slow' : 'fast'}`
    const { clockSkewMs } = field.budget
    return deceive(field.cluster, victims, {
      text: `clock drift of ${nodeNames(victims)}: ${text}`,
      injector: `libfaketime was given an offset that grows: ${text}`,
      offsetMs: (_, elapsedMs) => Math.max(-clockSkewMs, Math.min(clockSkewMs, (elapsedMs * percent) / 100)),
      everyMs: STEP_MS,
    })
  },
}
