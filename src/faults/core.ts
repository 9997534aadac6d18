/**
 * The core: what must work again when the chaos window closes. A storm never ends everywhere at once, so a budget may let
 * some processes stay broken (`unhealed`), and a system that promises progress with a majority must make it without them,
 * as in the liveness phase of TigerBeetle's VOPR. Here is decided who is left out, and in which state; the nemesis does it.
 *
 * Every decision is a choice, and 0 is that everything is healed.
 */
import type { ChoiceStream, Choices } from '../kernel/choices.ts'
import type { Arena, Victim } from './arena.ts'
import type { BudgetLedger } from './budget.ts'
import type { FamilyName, Weather } from './levels.ts'

/** How a process stays broken: a family with the parameters that are not drawn. */
export interface LastingFault {
  readonly family: FamilyName
  readonly given: Readonly<Record<string, string>>
}

const LASTING: readonly LastingFault[] = [
  { family: 'reboot', given: { kind: 'kill', scope: 'process' } },
  { family: 'pause', given: {} },
  { family: 'partition', given: { shape: 'isolate', mode: 'drop' } },
]

/** The processes that stay broken: none where there was no storm, and never more of a group than the budget allows. */
export function drawRest(
  choices: Choices,
  { victims }: Pick<Arena, 'victims'>,
  ledger: BudgetLedger,
  { families }: Pick<Weather, 'families'>,
): readonly Victim[] {
  if (!Object.values(families).some((rate) => (rate?.chance ?? 0) > 0)) return []
  return [...new Set(victims.map(({ group }) => group))].flatMap((group) => {
    const most = ledger.allowedUnhealed(group)
    if (most <= 0) return []
    const count = choices.stream(`rest ${group}`, 'count').below(most + 1)
    const left = victims.filter((each) => each.group === group)
    const who = choices.stream(`rest ${group}`, 'who')
    return Array.from({ length: count }, () => left.splice(who.below(left.length), 1)[0])
  })
}

/** The hosts on which nothing of the core runs. */
export function hostsOf(rest: readonly Victim[], { victims, hosts }: Arena): string[] {
  const core = new Set(victims.filter((each) => !rest.includes(each)).map(({ host }) => host))
  const own = rest.map(({ host }) => host).filter((host) => !core.has(host) && hosts.includes(host))
  return own.map(({ name }) => name)
}

/** How a process of the rest stays broken. It is cut off only if that cuts off nothing of the core. */
export function drawLasting(how: ChoiceStream, mayCut: boolean): LastingFault {
  const drawn = how.pick(LASTING)
  return drawn.family === 'partition' && !mayCut ? LASTING[0] : drawn
}
