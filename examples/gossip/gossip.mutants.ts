/**
 * The mutants of the gossip cluster: one guard removed each, by a switch in the source (../mutants.js). Each has the
 * least level that shows it and the rule that must catch it. `npm run mutants -- --system gossip` runs them.
 */
import { simulation, type LevelName, type Simulation, type WeatherChanges } from 'wavetank'
import { gossipCluster } from './gossip-cluster.ts'
import { ALIVE, type GONE, MESSAGES } from './gossip-recovery.ts'
import type { Rule } from './gossip-rules.ts'

export interface Mutant {
  readonly name: string
  readonly level: LevelName
  /** The invariants that may catch it. */
  readonly rules: readonly string[]
  readonly simulation: string
}

export const MUTANTS: Mutant[] = []
/** Those that show only where a new member stands at the address of an old one. */
const FRESH_IDS = new Set(['answers-for-others', 'sequence-starts-again'])

/** Members leave and come back while connections to them are refused: usual storms do that once in 500 seeds. */
const LEAVING: Partial<Record<LevelName, WeatherChanges>> = {
  stormy: {
    families: {
      'rolling-restart': { everyMs: 2_000, chance: 0.4, durationMs: [500, 3_000] },
      refuse: { everyMs: 500, chance: 0.4, durationMs: [1_000, 4_000] },
    },
  },
}

type Known = Rule | typeof ALIVE | typeof GONE | typeof MESSAGES | 'news overrides by the rules'

function mutant(
  name: string,
  level: LevelName,
  ...rules: (Known | 'a message is delivered once' | 'rounds to reach all, median')[]
): Simulation<null> {
  MUTANTS.push({ name, level, rules, simulation: `gossip ${name}` })
  const levels = name === 'joins-once' ? { levels: LEAVING } : {}
  return simulation(
    `gossip ${name}`,
    gossipCluster({ mutant: name, freshIds: FRESH_IDS.has(name), ...levels }),
  )
}

// Which news overrides which belief.
export const oldNewsWins = mutant('old-news-wins', 'stormy', 'news overrides by the rules', ALIVE)
export const suspicionIgnoresIncarnation = mutant(
  'suspicion-ignores-incarnation',
  'stormy',
  'news overrides by the rules',
)
export const deadReturns = mutant(
  'dead-returns-without-new-incarnation',
  'stormy',
  'news overrides by the rules',
)

// Probes.
export const answersForOthers = mutant(
  'answers-for-others',
  'stormy',
  'an acknowledgement answers a ping to its sender',
)
export const anyAckWillDo = mutant('any-ack-will-do', 'stormy', 'a probe succeeds by its own acknowledgement')
export const sequenceStartsAgain = mutant(
  'sequence-starts-again',
  'stormy',
  'every start numbers its pings from a place of its own',
)
export const noIndirectProbe = mutant('no-indirect-probe', 'stormy', 'helpers are asked before an accusation')
export const timersOutOfOrder = mutant(
  'timers-out-of-order',
  'stormy',
  'helpers are asked before an accusation',
)
export const helpersGetNoTime = mutant(
  'helpers-get-no-time',
  'stormy',
  'helpers are asked before an accusation',
)

// Suspicion.
export const refutedSuspectDies = mutant(
  'refuted-suspect-dies',
  'stormy',
  'a suspect has its time before it is held for dead',
)
export const oneAccuserConfirms = mutant(
  'one-accuser-confirms-itself',
  'stormy',
  'a suspect has its time before it is held for dead',
)
export const pushPullBelievesDeath = mutant(
  'push-pull-believes-death',
  'stormy',
  'a suspect has its time before it is held for dead',
)

// Refutation.
export const refutationIgnored = mutant('refutation-ignored', 'stormy', ALIVE)
export const refutesWithSame = mutant(
  'refutes-with-same-incarnation',
  'stormy',
  'a refutation raises the incarnation',
)
export const refutationKeepsHealth = mutant(
  'refutation-keeps-health',
  'stormy',
  'who is accused or unanswered doubts itself',
)

// Rumours, messages and anti-entropy.
export const deliversTwice = mutant('delivers-twice', 'sunny', 'a message is delivered once')
export const rumoursSentOnce = mutant('rumours-sent-once', 'sunny', 'rounds to reach all, median')
export const noAntiEntropy = mutant('no-anti-entropy', 'stormy', ALIVE, MESSAGES)
export const withholdsMessages = mutant('push-pull-withholds-messages', 'stormy', MESSAGES)
export const deadAreNeverAsked = mutant('dead-are-never-asked', 'stormy', ALIVE)
export const joinsOnce = mutant('joins-once', 'stormy', ALIVE)
