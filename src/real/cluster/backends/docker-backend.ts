/**
 * The docker backend: a container per node, made from a generated compose file, which stays with the results. Everything
 * below that is as on other machines, with `docker compose exec` for a shell.
 */
import { spawnSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { UsageError } from '../../../kernel/errors.ts'
import type { RealSystem } from '../../../sim/authoring/real-system.ts'
import type { BackendSetup } from './backend.ts'
import { composeFile, networkOf } from './compose-file.ts'
import { RemoteCluster } from './remote-cluster.ts'
import { RemoteShell } from './remote-shell.ts'

/** Images are built at the first run. */
const UP_MS = 20 * 60_000

export class DockerBackend extends RemoteCluster {
  readonly #file: string
  readonly #setup: BackendSetup
  readonly #compose: readonly string[]

  constructor(setup: BackendSetup, systems: readonly RealSystem[]) {
    const { nodes, resources, logs } = setup
    const { run } = resources.manifest.resources
    const file = join(dirname(logs), 'compose.yaml')
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, composeFile(run, nodes, systems))
    const compose = ['docker', 'compose', '-p', `wavetank-${run}`, '-f', file]
    const shells = nodes.map(
      (name) => new RemoteShell(name, [...compose, 'exec', '-T', name, 'sh', '-c'], process.env),
    )
    super({
      name: 'docker',
      setup,
      shells,
      cleaners: [], // the containers go as a whole
      systems,
      install: false,
      client: networkOf(run).gateway,
    })
    this.#file = file
    this.#setup = setup
    this.#compose = compose
  }

  override async begin(): Promise<void> {
    const { manifest } = this.#setup.resources
    manifest.addCommand([...this.#compose, 'down', '--volumes', '--remove-orphans'])
    const [program, ...args] = [...this.#compose, 'up', '--detach', '--build', '--wait']
    const { status, stderr, error } = spawnSync(program, args, { encoding: 'utf8', timeout: UP_MS })
    if (status !== 0) {
      throw new UsageError(
        'ERR_WAVETANK_DOCKER',
        `wavetank real: docker compose up ended with ${status}: ${(error?.message ?? stderr).trim()}; the compose file is ${this.#file}`,
      )
    }
    await super.begin()
  }
}
