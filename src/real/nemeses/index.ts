/** All nemeses of real clusters by name, and how the command line names them: `kill`, `kill:majority`, `partition:ring`. */
import { UsageError } from '../../kernel/errors.ts'
import { didYouMean } from '../../kernel/expectation.ts'
import { ALIASES } from './aliases.ts'
import { clockDrift, clockJump, clockSkew } from './clock/clock-nemeses.ts'
import { bitFlip, truncate } from './disk/damage-nemeses.ts'
import { diskError, diskFull, diskSlow, readOnly, syncError } from './disk/disk-nemeses.ts'
import { membership } from './membership-nemesis.ts'
import type { RealNemesis } from './nemesis.ts'
import { bandwidth, duplicate, isolate, latency, loss, partition, reorder, reset } from './network-nemeses.ts'
import { freeze } from './freeze-nemesis.ts'
import { kill, massRestart, pause, rollingRestart, stop } from './process-nemeses.ts'

export const NEMESES: readonly RealNemesis[] = [
  kill,
  stop,
  rollingRestart,
  massRestart,
  pause,
  freeze,
  partition,
  isolate,
  latency,
  loss,
  duplicate,
  reorder,
  bandwidth,
  reset,
  clockSkew,
  clockJump,
  clockDrift,
  diskFull,
  readOnly,
  diskError,
  syncError,
  diskSlow,
  truncate,
  bitFlip,
  membership,
]

/** A nemesis with the variant that was asked for. */
export interface ChosenNemesis {
  readonly nemesis: RealNemesis
  readonly variant: string
}

/** `none` is no nemesis. */
export function nemesesNamed(text: string): ChosenNemesis[] {
  const names = text.split(',').map((name) => name.trim())
  return names
    .filter((name) => name !== '' && name !== 'none')
    .flatMap((name) => (ALIASES[name] ?? [name]).map(chosen))
}

export function nemesisName({ nemesis, variant }: ChosenNemesis): string {
  return variant === nemesis.variants[0] ? nemesis.name : `${nemesis.name}:${variant}`
}

function chosen(name: string): ChosenNemesis {
  const [first, variant] = name.split(':')
  const nemesis = NEMESES.find((each) => each.name === first)
  if (nemesis === undefined) {
    const known = [...NEMESES.map((each) => each.name), ...Object.keys(ALIASES)]
    throw new UsageError(
      'ERR_WAVETANK_NEMESIS',
      `wavetank real: there is no nemesis ${first}${didYouMean(first, known)}; \`wavetank real nemeses\` lists them`,
    )
  }
  if (variant === undefined) return { nemesis, variant: nemesis.variants[0] }
  if (nemesis.variants.includes(variant)) return { nemesis, variant }
  if (nemesis.takesFiles === true && isPattern(variant)) return { nemesis, variant }
  const files = nemesis.takesFiles === true ? ', or a pattern of files such as /data/*.log' : ''
  throw new UsageError(
    'ERR_WAVETANK_NEMESIS',
    `wavetank real: ${first} has no variant ${variant}; expected ${nemesis.variants.join(', ')}${files}`,
  )
}

/** A path, or a name with a star or an ending. */
function isPattern(variant: string): boolean {
  return /[/*.]/.test(variant)
}
