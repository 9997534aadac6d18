/** What is wrong with a binding, as far as its text can tell: its form, options that the budget decides, its faults. */
import { ALIASES } from '../../real/nemeses/aliases.ts'
import { familiesOf, MAELSTROM_NEMESES, REAL_NEMESES } from '../catalog/mechanisms.ts'
import { NEMESES } from '../catalog/nemeses.ts'
import { raceTarget, type Binding } from '../model/binding.ts'
import { commandWords } from '../model/command-words.ts'

/** What wavetank adds to the command itself. */
const DECIDED: Readonly<Partial<Record<Binding['kind'], readonly string[]>>> = {
  maelstrom: ['--seed', '--seeds', '--test-count', '--store'],
  real: ['--seed', '--store', '--json'],
}

/** Null if nothing is. */
export function bindingProblem({ kind, target }: Binding): string | null {
  if (kind === 'race')
    return raceTarget(target) === null
      ? `a race is bound as \`race FILE › TITLE\`, and "${target}" has no ›`
      : null
  if (kind !== 'maelstrom' && kind !== 'real') return null
  const words = commandWords(target)
  if (words === null) return `a quote in "${target}" is not closed`
  const given = (name: string): boolean => words.some((word) => word === name || word.startsWith(`${name}=`))
  if (kind === 'maelstrom' && !(given('--bin') && (given('--workload') || given('-w'))))
    return `a Maelstrom test is bound as \`maelstrom -w WORKLOAD --bin FILE …\`, and "${target}" lacks one of them`
  if (kind === 'real' && words[0].startsWith('-'))
    return `a real test is bound as \`real SIMULATION …\`, and "${target}" begins with an option`
  const decided = DECIDED[kind]!.find(given)
  return decided === undefined ? null : `${decided} is for wavetank to set: seeds come from the budget`
}

/** The planned nemeses that no fault of the binding can prove; empty where its text does not tell. */
export function nemesesOutOfReach({ kind, target }: Binding, nemeses: readonly string[]): readonly string[] {
  if (kind !== 'maelstrom' && kind !== 'real') return []
  const known = kind === 'real' ? REAL_NEMESES : MAELSTROM_NEMESES
  const families: readonly string[] = injectedBy(target).flatMap((name) =>
    // Any shape may be drawn.
    kind === 'maelstrom' && name === 'partition'
      ? familiesOf(known, 'partition:minority-third')
      : familiesOf(known, name),
  )
  return nemeses.filter((nemesis) => {
    const proofs = NEMESES.find(({ id }) => id === nemesis)?.families ?? []
    return !families.includes(nemesis) && !proofs.some((proof) => families.includes(proof))
  })
}

function injectedBy(target: string): readonly string[] {
  const words = commandWords(target) ?? []
  const at = words.indexOf('--nemesis')
  const text = at < 0 ? words.find((word) => word.startsWith('--nemesis='))?.slice(10) : words[at + 1]
  const names = (text ?? '').split(',').map((name) => name.trim())
  return names.flatMap((name) => ALIASES[name] ?? [name]).filter((name) => name !== '' && name !== 'none')
}
