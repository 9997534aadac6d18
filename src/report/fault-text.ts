/** The fault catalogue as text and as Markdown: pure functions of the data, with the rates that the levels give. */
import type { FaultEntry, FaultParameter, FaultWorld } from '../faults/catalogue.ts'
import { LEVEL_NAMES, LEVELS, type Rate } from '../faults/levels.ts'
import { table } from './form/table.ts'

/** All faults, a line each. */
export function faultsText(faults: readonly FaultEntry[]): string {
  const rows = faults.map(({ name, group, text }) => [name, group, text])
  return `${table(['fault', 'group', 'what'], rows, '').join('\n')}\n`
}

/** One fault with everything that is known of it. */
export function faultText(fault: FaultEntry): string {
  const lines = [`${fault.name} (${fault.group})`, fault.text, '']
  for (const [label, text] of details(fault)) lines.push(`${label}: ${text}`)
  lines.push('', ...rates(fault).map(([level, text]) => `${level}: ${text}`))
  for (const parameter of fault.parameters) lines.push(parameterText(parameter))
  return `${lines.join('\n')}\n`
}

/** The page docs/faults.md. */
export function faultsMarkdown(faults: readonly FaultEntry[]): string {
  const parts = [
    '# Faults',
    '',
    'Every fault family of the tank: what it does, which evidence on the side of the victim proves that it landed, and what it cannot do. The injection alone never counts. `wavetank faults NAME` prints one entry, `--json` all as data. How often a family strikes is the level’s; a simulation changes it in `levels`, and its `budget` bounds what may fail at once.',
    '',
    'This page is generated: `wavetank faults --markdown > docs/faults.md`.',
  ]
  for (const fault of faults) {
    parts.push('', `## ${fault.name}`, '', fault.text, '', `- group: ${fault.group}`)
    for (const [label, text] of details(fault)) parts.push(`- ${label}: ${text}`)
    for (const [level, text] of rates(fault)) parts.push(`- ${level}: ${text}`)
    for (const parameter of fault.parameters) parts.push(`- ${parameterText(parameter)}`)
  }
  return `${parts.join('\n')}\n`
}

/** The rate of a fault at each level at which it strikes, for scripts. */
export function ratesOf({ name }: FaultEntry): Readonly<Record<string, Rate | null>> {
  return Object.fromEntries(LEVEL_NAMES.map((level) => [level, LEVELS[level].families[name] ?? null]))
}

const IN_WORLD: Readonly<Record<FaultWorld, string>> = {
  tank: 'in the tank',
  real: 'among real processes',
}

/** Labels and texts, world by world: a world's name stands before what differs there. */
function details({ worlds }: FaultEntry): [string, string][] {
  const found = (Object.keys(IN_WORLD) as FaultWorld[]).filter((world) => worlds[world] !== undefined)
  const texts = found.flatMap((world): [string, string][] => {
    const { mechanism, landing, cleanup, cannot } = worlds[world]!
    const where = world === 'tank' ? '' : `, ${IN_WORLD[world]}`
    return [
      [IN_WORLD[world], mechanism],
      [`landed${where}`, landing],
      [`cleanup${where}`, cleanup],
      [`limits${where}`, cannot],
    ]
  })
  return [...texts, ['worlds', found.join(', ')]]
}

function rates(fault: FaultEntry): [string, string][] {
  const found = Object.entries(ratesOf(fault)).flatMap(([level, rate]): [string, string][] => {
    if (rate === null) return []
    const [least, most] = rate.durationMs
    const lasts = most === 0 ? 'at once' : `for ${least} to ${most} ms`
    return [[level, `in every ${rate.everyMs} ms with probability ${rate.chance}, ${lasts}`]]
  })
  return found.length > 0 ? found : [['levels', 'off unless the simulation asks for it']]
}

function parameterText({ name, unit, drawn, text }: FaultParameter): string {
  const suffix = unit === '' ? '' : ` ${unit}`
  const range = 'of' in drawn ? `${drawn.of.join(', ')}${suffix}` : `${drawn.least} to ${drawn.most}${suffix}`
  return `parameter ${name}: ${range}; ${text}`
}
