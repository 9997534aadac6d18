/** The backend that the command line asks for, or the error that says what this machine lacks for it. */
import type { SimulationDefinition } from '../../../sim/authoring/definition.ts'
import { AddressPlan } from '../../proxy/address-plan.ts'
import { missingFor } from '../../doctor/backends.ts'
import { unfit } from './abilities.ts'
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
