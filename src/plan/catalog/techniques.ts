/** Eight techniques: when each is worth its cost, what it catches and what it cannot. */
import type { Catalogue, Entry } from './entry.ts'

export interface Technique extends Entry {
  readonly catches: string
  readonly misses: string
  /** What of wavetank, or which other tool, does it. */
  readonly tools: string
  readonly cost: string
  /** Questions to answer before the technique counts as used. */
  readonly checklist: readonly string[]
}

export const TECHNIQUES: readonly Technique[] = [
  {
    id: 'history-checking',
    title: 'History checking of a running system',
    text: 'Clients run operations against real processes while faults are injected; a checker decides from the recorded history whether the promised model can explain it.',
    catches: 'consistency and isolation violations that clients can see',
    misses: 'bugs that no recorded operation shows; rare interleavings, since runs are few and slow',
    tools: 'wavetank check; Jepsen and Elle for systems outside Node',
    cost: '30 minutes to hours per scenario; at least 10,000 operations',
    checklist: [
      'Is an unknown outcome recorded as unknown?',
      'Does the checker read every operation?',
      'Is there a history that the checker must reject?',
    ],
    references: [
      'Kingsbury, Alvaro: Elle: Inferring Isolation Anomalies, 2020',
      'Lowe: Testing for Linearizability, 2016',
    ],
  },
  {
    id: 'deterministic-simulation',
    title: 'Deterministic simulation',
    text: 'The whole system runs in one deterministic world; every seed is another storm, and a failing one is replayed to the step and shrunk.',
    catches: 'rare orders of messages, crashes and timers; recovery bugs; lost acknowledgements',
    misses: 'what the model of the world leaves out: kernel bugs, native addons, real performance',
    tools: 'wavetank run',
    cost: 'minutes for 100 seeds; thousands of seeds before a release',
    checklist: [
      'Are runs verified to be deterministic?',
      'Did every planned fault land?',
      'Is a known bug found by the same simulation?',
    ],
    references: ['Zhou et al.: FoundationDB, 2021', 'TigerBeetle: VOPR, 2022'],
  },
  {
    id: 'fault-injection',
    title: 'Chaos and fault injection',
    text: 'Faults are injected into a deployed system under load, one hypothesis at a time, and recovery is timed.',
    catches: 'missing time-outs, retries that amplify load, failovers that were never tried',
    misses: 'silent wrong answers, unless a history is checked as well',
    tools: 'the nemesis of wavetank run; Chaos Mesh, toxiproxy, tc and iptables on real machines',
    cost: 'hours, and an environment that may break',
    checklist: [
      'Does a signal on the victim prove each fault?',
      'Is the time to recover an exit criterion?',
      'Does the check wait until the system is quiet?',
    ],
    references: [
      'Basiri et al.: Chaos Engineering, 2016',
      'Yuan et al.: Simple Testing Can Prevent Most Critical Failures, 2014',
    ],
  },
  {
    id: 'fuzzing',
    title: 'Fuzzing',
    text: 'A generator, guided by coverage, feeds parsers and protocol handlers with inputs that people do not write.',
    catches: 'crashes, hangs and wrong decoding at trust boundaries',
    misses: 'errors of agreement between nodes; wrong answers to well-formed requests',
    tools: 'Jazzer.js, AFL++, fast-check for structured inputs',
    cost: 'hours of one core per target; a corpus to keep',
    checklist: [
      'Is there an oracle besides "no crash"?',
      'Is the corpus kept?',
      'Are sizes and depths bounded?',
    ],
    references: ['Manès et al.: The Art, Science, and Engineering of Fuzzing, 2019'],
  },
  {
    id: 'formal-model',
    title: 'Formal model',
    text: 'The protocol is written as a state machine, and a model checker visits every reachable state of a small instance.',
    catches: 'design errors in protocols, before there is code',
    misses: 'every difference between model and code',
    tools: 'TLA+ with TLC or Apalache, P, Alloy',
    cost: 'days for the first model; minutes per run',
    checklist: [
      'Does removing a guard break a named invariant?',
      'Can the model do anything at all (no vacuous truth)?',
      'What ties the model to the code?',
    ],
    references: ['Newcombe et al.: How Amazon Web Services Uses Formal Methods, 2015'],
  },
  {
    id: 'property-testing',
    title: 'Property and metamorphic testing',
    text: 'Random inputs or operation sequences are compared with a reference model or with a transformed run of the same program; a failure is shrunk.',
    catches: 'edge cases of data structures, encoders, state machines and merges',
    misses: 'concurrency and partial failure, unless the operations include them',
    tools: 'fast-check; wavetank race for orders of awaits',
    cost: 'seconds in every build',
    checklist: [
      'Is the reference simpler than the code?',
      'Do generators reach the corners?',
      'Does shrinking keep the failure?',
    ],
    references: ['Claessen, Hughes: QuickCheck, 2000', 'Chen et al.: Metamorphic Testing, 2018'],
  },
  {
    id: 'performance-measurement',
    title: 'Performance measurement',
    text: 'An open-loop generator holds the rate whatever the system does; percentiles are compared with a baseline on the same machine.',
    catches: 'regressions, unfair sharing, collapse under overload',
    misses: 'correctness of the fast answers',
    tools: 'autocannon, k6, wavetank check --workload latency for recorded histories',
    cost: 'an hour and a quiet machine',
    checklist: [
      'Is the load open loop?',
      'Is the baseline from the same machine and day?',
      'Are percentiles of the worst group reported?',
    ],
    references: ['Schroeder et al.: Open Versus Closed, 2006', 'Tene: How NOT to Measure Latency, 2013'],
  },
  {
    id: 'crash-and-upgrade',
    title: 'Crash recovery and upgrade testing',
    text: 'The system is stopped at every I/O boundary and started again, by the same version, the next one and the one before.',
    catches: 'torn logs, unsynced directories, formats that the other version cannot read',
    misses: 'faults that do not end a process',
    tools: 'wavetank run with reboot and disk faults; one image per version for upgrades',
    cost: 'minutes simulated, hours real',
    checklist: [
      'Is power loss among the crashes, not only kill?',
      'Is every mixed version tried?',
      'Is rollback tried after writes?',
    ],
    references: [
      'Pillai et al.: All File Systems Are Not Created Equal, 2014',
      'Zhang et al.: Understanding and Detecting Software Upgrade Failures, 2021',
    ],
  },
]

export const TECHNIQUE_CATALOGUE: Catalogue<Technique> = {
  kind: 'techniques',
  title: 'Techniques',
  about: 'Ways to test a claim; two to four for a change, five to seven for a project.',
  entries: TECHNIQUES,
  details: ({ catches, misses, tools, cost, checklist }) => [
    ['catches', catches],
    ['misses', misses],
    ['tools', tools],
    ['cost', cost],
    ['checklist', checklist.join(' ')],
  ],
}
