/**
 * Whom faults may be aimed at, as the simulation says it: by names, groups, tags and roles, by who leads, and how a node
 * leaves the cluster and joins it.
 */
import type { Choices } from '../../kernel/choices.ts'
import type { SimulationDefinition, WorkloadContext } from '../../sim/authoring/definition.ts'
import type { EventLog } from '../../sim/authoring/event-log.ts'
import { ChoiceRng } from '../../sim/authoring/rng.ts'
import type { FaultTarget } from '../../sim/authoring/script.ts'
import { everything } from '../../sim/running/director.ts'
import type { Topology } from '../../sim/running/topology.ts'
import type { Cluster, RealNode } from '../cluster/cluster.ts'
import type { Members } from '../nemeses/nemesis.ts'

export interface AimsOptions {
  readonly definition: SimulationDefinition
  readonly choices: Choices
  readonly seed: number
  readonly cluster: Cluster
  /** With the names of the tank, and with those that were asked for. */
  readonly drawn: Topology
  readonly topology: Topology
  readonly events: () => EventLog
}

export class Aims {
  /** Null: the simulation does not say. */
  readonly members: Members | null
  readonly #options: AimsOptions

  constructor(options: AimsOptions) {
    this.#options = options
    const { membership } = options.definition
    const change = async (way: 'leave' | 'join', { name, placement }: RealNode): Promise<void> => {
      await membership?.[way](placement.identity, this.#context(`operator ${way} ${name}`))
    }
    this.members =
      membership === undefined
        ? null
        : { leave: (node) => change('leave', node), join: (node) => change('join', node) }
  }

  /** Names of nodes. */
  at(target: FaultTarget): readonly string[] {
    const { definition, drawn, topology, events } = this.#options
    if (typeof target === 'object' && 'role' in target) {
      const holders = definition.roles?.[target.role]?.({ events: everything(events()) })
      return holders === null || holders === undefined ? [] : [holders].flat()
    }
    const names = new Map(drawn.placements.map(({ identity }, at) => [identity.name, at]))
    return topology.placements
      .map(({ identity }) => identity)
      .filter((identity, at) => {
        if (typeof target === 'string') return identity.name === target || names.get(target) === at
        if (typeof target === 'function') return target(identity)
        return 'group' in target ? identity.group === target.group : identity.tags.includes(target.tag)
      })
      .map(({ name }) => name)
  }

  /** Names of the nodes that lead now, by their systems. */
  async primaries(): Promise<readonly string[]> {
    const { cluster } = this.#options
    const groups = new Map(
      cluster.nodes.map((node) => [node.placement.definition, node.placement.identity.group]),
    )
    const asked = [...groups].map(async ([{ system }, group]) => {
      const nodes = cluster.nodes.filter(({ placement }) => placement.identity.group === group)
      return (await system?.primaries?.(nodes.map((node) => cluster.systemNode(node)))) ?? []
    })
    return (await Promise.all(asked)).flat()
  }

  /** The context of an operator. */
  #context(entity: string): WorkloadContext {
    const { choices, seed, topology } = this.#options
    const { hosts, placements } = topology
    const processes = placements.map(({ identity }) => identity)
    return { seed, level: 'sunny', hosts, processes, rng: new ChoiceRng(choices, entity, false) }
  }
}
