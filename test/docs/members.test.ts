/**
 * Every member of the public interfaces that users write or hold is in the page that explains it. The compiler holds each
 * table to its type: a new member does not compile until it is listed here, and fails until it is documented.
 *
 * Options that wavetank validates are checked by options.test.ts, those of races by src/explore/search/options.test.ts,
 * those of checkers by src/checkers/documentation.test.ts, those of commands by src/cli/commands.test.ts.
 */
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import type { ClusterOptions, RaceCluster } from '../../src/explore/authoring/race-cluster.ts'
import type { ProcessOptions, RaceProcess } from '../../src/explore/authoring/race-process.ts'
import type { EmitterOptions } from '../../src/explore/authoring/scheduled-emitter.ts'
import type { SharedOptions } from '../../src/explore/authoring/shared.ts'
import type { RaceContext } from '../../src/host/explore.ts'
import type {
  CheckContext,
  ClientContext,
  InvariantContext,
  OperationOptions,
  ProcessIdentity,
  RealSystem,
  Rng,
  SystemCommand,
  SystemNode,
} from '../../src/index.ts'
import * as invariants from '../../src/sim/invariants/index.ts'
import type { KeyValueStore, MaelstromNode, RequestOptions } from '../../src/maelstrom/node-library/index.ts'
import type { KitOptions } from '../../src/sim/workloads/index.ts'
import * as workloads from '../../src/sim/workloads/index.ts'

type Members<T> = Readonly<Record<keyof T, true>>

const RACE: Members<RaceContext> = {
  task: true,
  point: true,
  access: true,
  shared: true,
  emitter: true,
  wait: true,
  hold: true,
  release: true,
  process: true,
  cluster: true,
  sometimes: true,
  assert: true,
}
const SHARED: Members<SharedOptions> = { name: true, reads: true, properties: true, resource: true }
const EMITTER: Members<EmitterOptions> = { name: true, ordered: true }
const PROCESS_OPTIONS: Members<ProcessOptions> = { name: true, args: true, env: true }
const PROCESS: Members<RaceProcess> = {
  name: true,
  address: true,
  alive: true,
  output: true,
  printed: true,
  stop: true,
  kill: true,
  start: true,
  pause: true,
  resume: true,
}
const CLUSTER_OPTIONS: Members<ClusterOptions> = { entry: true, prefix: true, args: true, env: true }
const CLUSTER: Members<RaceCluster> = { processes: true, names: true, partition: true, heal: true }

const IDENTITY: Members<ProcessIdentity> = {
  name: true,
  group: true,
  index: true,
  count: true,
  host: true,
  peers: true,
  hosts: true,
  tags: true,
  locality: true,
}
const CLIENT: Members<ClientContext> = {
  seed: true,
  level: true,
  hosts: true,
  processes: true,
  rng: true,
  client: true,
  index: true,
  state: true,
  operation: true,
}
const CHECK: Members<Pick<CheckContext, 'history' | 'events' | 'files'>> = {
  history: true,
  events: true,
  files: true,
}
const INVARIANT: Members<InvariantContext> = { events: true, files: true, nowMs: true }
const OPERATION: Members<OperationOptions> = { key: true, input: true, timeoutVirtualMs: true }
const RNG: Members<Rng> = {
  chance: true,
  below: true,
  between: true,
  pick: true,
  shuffle: true,
  weighted: true,
  operation: true,
}

const SYSTEM: Members<RealSystem> = {
  name: true,
  needs: true,
  ports: true,
  install: true,
  start: true,
  ready: true,
  primaries: true,
  wipe: true,
  stop: true,
  clock: true,
  stopSignal: true,
  logs: true,
}
const NODE: Members<SystemNode> = {
  name: true,
  group: true,
  index: true,
  folder: true,
  listen: true,
  address: true,
  nodes: true,
  hosts: true,
}
const COMMAND: Members<SystemCommand> = {
  command: true,
  args: true,
  env: true,
  files: true,
  prepare: true,
  user: true,
}

const MAELSTROM: Members<MaelstromNode> = {
  id: true,
  ids: true,
  on: true,
  onInit: true,
  send: true,
  reply: true,
  rpc: true,
  kv: true,
  timestamp: true,
  log: true,
}
const REQUEST: Members<RequestOptions> = { timeoutMs: true, retries: true }
const STORE: Members<KeyValueStore> = { read: true, write: true, compareAndSet: true }

const KIT: Members<KitOptions<unknown>> = {
  connect: true,
  timeoutVirtualMs: true,
  clients: true,
  operations: true,
  spanMs: true,
  settled: true,
}

const PAGES: Readonly<Record<string, readonly object[]>> = {
  'exploration.md': [RACE, SHARED, EMITTER, PROCESS_OPTIONS, PROCESS, CLUSTER_OPTIONS, CLUSTER],
  'simulation.md': [IDENTITY, CLIENT, CHECK, INVARIANT, OPERATION, RNG],
  'real-clusters.md': [SYSTEM, NODE, COMMAND],
  'maelstrom.md': [MAELSTROM, REQUEST, STORE],
  'workloads.md': [KIT, workloads, invariants],
}

/** The words in the code quotes of a page: `t.hold('a')` has t, hold and a. Blocks of code count too. */
function wordsIn(page: string): Set<string> {
  const text = readFileSync(new URL(`../../docs/${page}`, import.meta.url), 'utf8')
  const code = [...text.matchAll(/^```[\s\S]*?^```$|`[^`\n]+(?:\n[^`\n]+)?`/gm)].join(' ')
  return new Set(code.match(/[A-Za-z]+/g))
}

describe.each(Object.entries(PAGES))('docs/%s', (page, tables) => {
  it('has every member', () => {
    const words = wordsIn(page)
    const members = tables.flatMap((table) => Object.keys(table))
    expect(members.length).toBeGreaterThan(5)
    expect(members.filter((name) => !words.has(name))).toEqual([])
  })

  it('would miss a member that is not there', () => {
    expect(wordsIn(page).has('bananas')).toBe(false)
  })
})
