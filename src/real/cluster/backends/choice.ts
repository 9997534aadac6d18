/**
 * Which backend a run has, and whether it can do what the run asks. What it cannot do is an error before the run, never a
 * fault that does not land in it.
 */
import { UsageError } from '../../../kernel/errors.ts'
import type { SimulationDefinition } from '../../../sim/authoring/definition.ts'
import { AddressPlan } from '../../proxy/address-plan.ts'
import { missingFor } from '../../doctor/backends.ts'
import type { Backend, BackendName, BackendSetup, ChosenBackend } from './backend.ts'
import { LocalBackend } from './local-backend.ts'
import { NamespacesBackend } from './namespaces-backend.ts'

export interface BackendOptions {
  readonly backend: BackendName
  /** ssh: the machines, as the ssh client names them. */
  readonly machines?: readonly string[]
  /** ssh: a configuration of the ssh client. */
  readonly sshConfig?: string
  /** Programs and their Debian packages, and commands that install them, where a machine lacks them. */
  readonly install: boolean
}

/** What a packet filter cannot do. */
const NOT_PACKETS = ['latency', 'duplicate', 'reorder']
/** What works through a shell on another machine. */
const ELSEWHERE = new Set([
  'kill',
  'stop',
  'rolling-restart',
  'pause',
  'partition',
  'isolate',
  'loss',
  'bandwidth',
  'reset',
])

/** Why a backend does not do a nemesis; null if it does. */
export function refusal(backend: BackendName, nemesis: string): string | null {
  if (backend === 'local') return null
  if (NOT_PACKETS.includes(nemesis))
    return `${nemesis} needs our proxy, which only the local backend has; a packet filter drops packets and does nothing else to them`
  if (backend !== 'namespaces' && !ELSEWHERE.has(nemesis))
    return `${nemesis} works on processes and folders of this machine; nodes of the ${backend} backend are on others`
  return null
}

/** Refuses what the backend cannot do with this simulation. */
export function checkFits(
  backend: BackendName,
  { processes, taps, files }: SimulationDefinition,
  nemeses: readonly string[],
): void {
  if (backend === 'local') return
  const refused = nemeses.map((name) => refusal(backend, name)).find((reason) => reason !== null)
  if (refused !== undefined) throw unfit(backend, refused)
  if (taps !== undefined)
    throw unfit(backend, 'the simulation taps the wire: only the proxy of the local backend sees bytes')
  if (backend === 'namespaces') return
  const [entry] = Object.entries(processes).filter(([, { system }]) => system === undefined)
  if (entry !== undefined)
    throw unfit(
      backend,
      `${entry[0]} is a program of this project, which other machines do not have: only a system can run there`,
    )
  if (files !== undefined) throw unfit(backend, 'the simulation watches files, which are on other machines')
}

function unfit(backend: BackendName, reason: string): UsageError {
  return new UsageError('ERR_WAVETANK_BACKEND', `wavetank real: --backend ${backend}: ${reason}`)
}

/** Takes a backend. What it lacks on this machine is an error with what to install. */
export async function chooseBackend(
  options: BackendOptions,
  definition: SimulationDefinition,
): Promise<ChosenBackend> {
  const { backend } = options
  const missing = missingFor(backend, process.env.PATH ?? '')
  if (missing !== null) throw unfit(backend, missing)
  switch (backend) {
    case 'local': {
      const plan = await AddressPlan.take()
      return chosen(
        backend,
        (setup) => new LocalBackend(setup, plan),
        () => plan.release(),
      )
    }
    case 'namespaces':
      return chosen(backend, (setup) => new NamespacesBackend(setup))
    case 'ssh': {
      const { SshBackend } = await import('./ssh-backend.ts')
      return chosen(backend, (setup) => new SshBackend(setup, options, systemsOf(definition)))
    }
    case 'docker': {
      const { DockerBackend } = await import('./docker-backend.ts')
      return chosen(backend, (setup) => new DockerBackend(setup, systemsOf(definition)))
    }
  }
}

function systemsOf({ processes }: SimulationDefinition): NonNullable<(typeof processes)[string]['system']>[] {
  return Object.values(processes).flatMap(({ system }) => (system === undefined ? [] : [system]))
}

function chosen(
  name: BackendName,
  create: (setup: BackendSetup) => Backend,
  release: () => void = () => {},
): ChosenBackend {
  return { name, create, release }
}
