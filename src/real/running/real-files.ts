/**
 * The files of real nodes, for invariants and checks. Only a simulated disk knows what would survive a power loss. An
 * invariant that asks for it here gets the file as it is, which can only hide a violation, so its verdict would say too
 * much: such an invariant is left out of a real run, by name.
 */
import { existsSync, readFileSync, statSync } from 'node:fs'
import { UsageError } from '../../kernel/errors.ts'
import type { FileEvent, ProcessFiles, WatchedFile } from '../../sim/authoring/watched-files.ts'
import type { RealNode } from '../cluster/cluster.ts'
import { onDisk } from '../cluster/entry-launch.ts'

/** What an invariant or a check may ask of files, and whether it asked for more than a real machine knows. */
export interface OutsideFiles extends ProcessFiles {
  /** Why the last asker needs the tank, or null; forgets it. */
  takeReason(): string | null
}

const SYNCED = 'it asks what of a file would survive a power loss (files.readSynced)'

export class RealFiles implements OutsideFiles {
  readonly #nodes: readonly RealNode[]
  readonly #declared: boolean
  #reason: string | null = null

  /** `declared`: the simulation says itself which invariants need the tank. */
  constructor(nodes: readonly RealNode[], declared: boolean) {
    this.#nodes = nodes
    this.#declared = declared
  }

  read(process: string, path: string): Buffer | null {
    const node = this.#nodes.find(({ name }) => name === process)
    if (node === undefined) {
      const names = this.#nodes.map(({ name }) => name).join(', ')
      throw new UsageError(
        'ERR_WAVETANK_PROCESS',
        `files: no process is named '${process}'; there are ${names}`,
      )
    }
    if (!node.machine.isHere) {
      throw new UsageError(
        'ERR_WAVETANK_PROCESS',
        `files: the files of ${process} are on another machine; only the backends local and namespaces have them here`,
      )
    }
    try {
      return readFileSync(onDisk(node.disk, path))
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
      throw error
    }
  }

  readSynced(process: string, path: string): Buffer | null {
    if (!this.#declared) this.#reason = SYNCED
    return this.read(process, path)
  }

  takeReason(): string | null {
    const reason = this.#reason
    this.#reason = null
    return reason
  }
}

/** The files of a run that is over: the disks of its nodes are gone. */
export class GoneFiles implements OutsideFiles {
  readonly #declared: boolean
  #asked = false

  constructor(declared: boolean) {
    this.#declared = declared
  }

  read(): null {
    this.#asked = true
    return null
  }

  readSynced(): null {
    if (!this.#declared) this.#asked = true
    return null
  }

  takeReason(): string | null {
    const reason = this.#asked
      ? 'it reads files of nodes, which are gone when a stored run is analysed'
      : null
    this.#asked = false
    return reason
  }
}

interface Watch {
  readonly file: string
  readonly node: RealNode
  readonly path: string
  seen: string | null
}

/** Compares declared files before every event of the run. */
export class RealFileWatch {
  readonly #watches: readonly Watch[]
  readonly #publish: (event: FileEvent) => void

  constructor(
    files: Readonly<Record<string, WatchedFile>>,
    nodes: readonly RealNode[],
    publish: (event: FileEvent) => void,
  ) {
    this.#publish = publish
    this.#watches = Object.entries(files).flatMap(([file, { of, path }]) =>
      nodes
        .filter(({ name, placement }) => name === of || placement.identity.group === of)
        .map((node) => ({ file, node, path, seen: null })),
    )
  }

  compare(): void {
    for (const watch of this.#watches) {
      const { file, node, path } = watch
      const now = sightOf(onDisk(node.disk, path))
      const before = watch.seen
      if (now?.text === before || (now === null && before === null)) continue
      watch.seen = now?.text ?? null
      const change = now === null ? 'removed' : before === null ? 'created' : 'written'
      const replaced = before !== null && now !== null && before.split(' ')[0] !== now.text.split(' ')[0]
      this.#publish({
        file,
        process: node.name,
        path,
        change: replaced ? 'replaced' : change,
        sizeBytes: now?.size ?? 0,
      })
    }
  }
}

function sightOf(path: string): { readonly text: string; readonly size: number } | null {
  if (!existsSync(path)) return null
  try {
    const { ino, size, mtimeNs } = statSync(path, { bigint: true })
    return { text: `${ino} ${size} ${mtimeNs}`, size: Number(size) }
  } catch {
    return null
  }
}
