/**
 * Who runs where in one seed: the groups of a simulation with their counts drawn, every process with its name, host,
 * peers, tags and locality. Counts are choices; everything else follows from the definition.
 */
import type { Choices } from '../../kernel/choices.ts'
import { UsageError } from '../../kernel/errors.ts'
import { check } from '../../kernel/expectation.ts'
import {
  rangeOf,
  type Locality,
  type ProcessDefinition,
  type ProcessIdentity,
  type SimulationDefinition,
} from '../authoring/definition.ts'
import { PER_PROCESS } from '../authoring/validation.ts'

export interface Placement {
  readonly identity: ProcessIdentity
  readonly definition: ProcessDefinition
}

export interface Topology {
  readonly placements: readonly Placement[]
  /** Host names of all processes, by group. */
  readonly hosts: Readonly<Record<string, readonly string[]>>
  /** Every host once, in order, with the locality of its first process. */
  readonly hostNames: readonly { readonly name: string; readonly locality: Locality }[]
}

export function drawTopology(choices: Choices, processes: SimulationDefinition['processes']): Topology {
  const seats = Object.entries(processes).flatMap(([group, definition]) =>
    drawGroup(choices, group, definition),
  )
  const hosts: Record<string, string[]> = {}
  for (const group of Object.keys(processes)) hosts[group] = []
  for (const seat of seats) hosts[seat.group].push(seat.host)
  const placements = seats.map(({ definition, ...seat }) => {
    const peers = hosts[seat.group].filter((host) => host !== seat.host)
    return { identity: { ...seat, peers, hosts }, definition }
  })
  const hostNames = new Map<string, Locality>()
  for (const { host, locality } of seats) if (!hostNames.has(host)) hostNames.set(host, locality)
  return { placements, hosts, hostNames: [...hostNames].map(([name, locality]) => ({ name, locality })) }
}

type Seat = Omit<ProcessIdentity, 'peers' | 'hosts'> & { readonly definition: ProcessDefinition }

function drawGroup(choices: Choices, group: string, definition: ProcessDefinition): Seat[] {
  const [lo, hi] = rangeOf(definition.count ?? 1)
  const count = lo === hi ? lo : choices.stream(`processes ${group}`, 'count').between(lo, hi)
  return Array.from({ length: count }, (_, index) => {
    const name = definition.count === undefined ? group : `${group}${index + 1}`
    const early = { name, group, index, count, host: name, peers: [], hosts: {}, tags: [], locality: {} }
    const locality = perProcess(definition, 'locality', early) ?? {}
    const host = locality.machine ?? name
    const tags = perProcess(definition, 'tags', { ...early, host, locality }) ?? []
    return { name, group, index, count, host, locality, tags, definition }
  })
}

type Given<Name extends keyof typeof PER_PROCESS> = Exclude<
  NonNullable<ProcessDefinition[Name]>,
  (...args: never[]) => unknown
>

/** An option that may be a function of the process; what the function gives is checked as the option itself is. */
export function perProcess<Name extends keyof typeof PER_PROCESS>(
  definition: ProcessDefinition,
  name: Name,
  process: ProcessIdentity,
): Given<Name> | undefined {
  const { [name]: value } = definition
  if (typeof value !== 'function') return value as Given<Name> | undefined
  const given = (value as (process: ProcessIdentity) => Given<Name>)(process)
  const place = `processes.${process.group}.${name} of ${process.name}`
  check(given, PER_PROCESS[name], place, (what) => new UsageError('ERR_WAVETANK_SIMULATION', what))
  return given
}
