/**
 * What a run has made on this machine. The run writes it down before, or in the same moment as, it makes it, so that
 * something can take it away: the run itself, its supervisor when the run has died, or the next run when both have.
 * Processes are named with their start time, and carry the run's name in their environment; so nothing else that came
 * to have the same number is ever touched.
 */
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { UsageError } from '../../kernel/errors.ts'
import { isAlive, processId, type ProcessId } from '../cluster/process-state.ts'

export interface Resources {
  readonly run: string
  readonly owner: ProcessId
  readonly processes: readonly ProcessId[]
  readonly folders: readonly string[]
  readonly namespaces: readonly string[]
  /** Network interfaces in the machine's own namespace. */
  readonly interfaces: readonly string[]
  readonly mounts: readonly string[]
  /** Control groups; empty ones, once the run's processes are gone. */
  readonly groups: readonly string[]
  /** Commands that take away what is on other machines, or outside of all folders; each can run twice. */
  readonly commands: readonly (readonly string[])[]
}

type ResourceList = 'folders' | 'namespaces' | 'interfaces' | 'mounts' | 'groups'

/** Processes of a run have this in their environment, with the run's name. */
export const RUN_VARIABLE = 'WAVETANK_REAL_RUN'

/** And this, with the run and the name of the node: a process that has left its node's session is still its own. */
export const NODE_VARIABLE = 'WAVETANK_REAL_NODE'

/** Where manifests are: one place per user of the machine. */
export function manifestFolder(): string {
  return join(tmpdir(), `wavetank-real-${userInfo().uid}`)
}

export function manifestPath(run: string, folder = manifestFolder()): string {
  return join(folder, `${run}.json`)
}

export class Manifest {
  readonly path: string
  #resources: Resources

  constructor(run: string, folder = manifestFolder()) {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    this.path = manifestPath(run, folder)
    const owner = processId(process.pid) ?? { pid: process.pid, startTicks: 0 }
    this.#resources = {
      run,
      owner,
      processes: [],
      folders: [],
      namespaces: [],
      interfaces: [],
      mounts: [],
      groups: [],
      commands: [],
    }
    this.#save()
  }

  get resources(): Resources {
    return this.#resources
  }

  /** To be called before the thing is made. */
  add(list: ResourceList, name: string): void {
    this.#resources = { ...this.#resources, [list]: [...this.#resources[list], name] }
    this.#save()
  }

  /** To be called before what the command takes away is made. */
  addCommand(command: readonly string[]): void {
    this.#resources = { ...this.#resources, commands: [...this.#resources.commands, command] }
    this.#save()
  }

  /** To be called as soon as a process has a number; until then its environment names the run. */
  addProcess(id: ProcessId): void {
    this.#resources = { ...this.#resources, processes: [...this.#resources.processes, id] }
    this.#save()
  }

  #save(): void {
    const draft = draftOf(this.path)
    writeFileSync(draft, JSON.stringify(this.#resources), { mode: 0o600 })
    renameSync(draft, this.path)
  }
}

/** Null if the file is gone, or is none of ours. */
export function readManifest(path: string): Resources | null {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as Resources
  } catch {
    return null
  }
}

/** Manifests of runs whose tool has died. */
export function staleManifests(folder = manifestFolder()): string[] {
  if (!existsSync(folder)) return []
  requireOwn(folder)
  return readdirSync(folder)
    .filter((name) => name.endsWith('.json'))
    .map((name) => join(folder, name))
    .filter((path) => {
      const resources = readManifest(path)
      return resources !== null && !isAlive(resources.owner)
    })
}

/** What a manifest names is removed, and its commands are run: only this user may have written it. */
function requireOwn(folder: string): void {
  const { uid, mode } = statSync(folder)
  if (uid === process.getuid?.() && (mode & 0o022) === 0) return
  throw new UsageError(
    'ERR_WAVETANK_MANIFESTS',
    `wavetank real: ${folder} belongs to another user, or others can write into it: remove it, or set TMPDIR to a folder of your own`,
  )
}

export function removeManifest(path: string): void {
  rmSync(path, { force: true })
  removeDraft(path)
}

/** What a tool that was killed while it wrote the manifest has left. */
export function removeDraft(path: string): void {
  rmSync(draftOf(path), { force: true })
}

function draftOf(path: string): string {
  return `${path}.new`
}
