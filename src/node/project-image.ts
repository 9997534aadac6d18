/**
 * The disk image read from the real file system, lazily and once: what it answers is kept per thread, for all worlds
 * that run in it, since the project does not change while it is tested. The only place where a simulated disk touches a
 * real one, and it never writes.
 */
import { createHash } from 'node:crypto'
import fs from 'node:fs'
import type { ImageFacts, ImageKind, ImageMount, ImageReader } from '../world/disk/image.ts'
import { linkedFolders } from './linked-packages.ts'
import { asHost } from './process/current.ts'

// Taken now: a program may change the host's module.
const { lstatSync, readdirSync, readFileSync, readlinkSync } = fs

let ofThisThread: ProjectImage | undefined

/** The image of this thread. */
export function projectImage(): ImageReader {
  return (ofThisThread ??= new ProjectImage())
}

const mounts = new Map<string, readonly ImageMount[]>()

/** What simulated disks show of a project: its folder, and the packages outside it that its links lead to. */
export function projectMounts(root: string): readonly ImageMount[] {
  let known = mounts.get(root)
  if (known === undefined) {
    const reader = projectImage()
    const folders = [root, ...asHost(() => linkedFolders(root))]
    mounts.set(root, (known = folders.map((folder) => ({ at: folder, from: folder, reader }))))
  }
  return known
}

class ProjectImage implements ImageReader {
  readonly hashes = new Map<string, string>()
  private readonly listings = new Map<string, ReadonlyMap<string, ImageKind>>()
  private readonly known = new Map<string, ImageFacts>()
  private readonly contents = new Map<string, Uint8Array>()
  private readonly links = new Map<string, string>()

  list(path: string): ReadonlyMap<string, ImageKind> {
    return remember(this.listings, path, () => {
      const listing = new Map<string, ImageKind>()
      for (const entry of readdirSync(path, { withFileTypes: true })) {
        if (isOurs(entry.name)) continue
        if (entry.isFile()) listing.set(entry.name, 'file')
        else if (entry.isDirectory()) listing.set(entry.name, 'directory')
        else if (entry.isSymbolicLink()) listing.set(entry.name, 'symlink')
      }
      return listing
    })
  }

  facts(path: string): ImageFacts {
    return remember(this.known, path, () => {
      const { size, mode } = lstatSync(path)
      // Owner and umask of the real machine stay out: executable or not is what matters.
      return { sizeBytes: size, permissions: (mode & 0o100) !== 0 ? 0o755 : 0o644 }
    })
  }

  read(path: string): Uint8Array {
    return remember(this.contents, path, () => {
      const bytes = readFileSync(path)
      this.hashes.set(path, createHash('sha256').update(bytes).digest('hex'))
      return bytes
    })
  }

  readLink(path: string): string {
    return remember(this.links, path, () => readlinkSync(path))
  }
}

/** What wavetank itself keeps in a project: findings, and its configuration while it is read. No program sees it. */
function isOurs(name: string): boolean {
  return name === '.wavetank' || name.startsWith('.wavetank-config-')
}

function remember<T>(known: Map<string, T>, path: string, ask: () => T): T {
  let answer = known.get(path)
  if (answer === undefined) known.set(path, (answer = asHost(ask)))
  return answer
}
