/**
 * The disk as the module loaders of a process read it: what is at a path, its text, its real path. Loaders ask thousands
 * of times for paths that mostly do not exist, so a look-up here does not throw, takes no virtual time, draws no choice
 * and leaves no mark: no disk fault strikes, and the times of access stay as they are.
 *
 * So answers about an image can be kept for all processes of a thread, see {@link ImageKnowledge}: a kept answer has the
 * same effect as a look-up on the disk.
 */
import { Buffer } from 'node:buffer'
import { below, type Directory } from '../../../world/disk/directory.ts'
import { FileView } from '../../../world/disk/file-view.ts'
import { FileInode, type Inode } from '../../../world/disk/inode.ts'
import { peek, realPath } from '../../../world/disk/path-walk.ts'
import type { Lookups } from '../../../world/disk/image-changes.ts'
import { ProcessSlot } from '../../process/process-slot.ts'
import type { RunningProcess } from '../../process/running-process.ts'
import { filesOf } from './view.ts'

const FILES = new ProcessSlot<LoadingFiles>()

export function loadingFiles(process: RunningProcess): LoadingFiles {
  return FILES.get(process) ?? FILES.set(process, new LoadingFiles(process))
}

/** Answers about an image that the loaders of a thread keep. They hold on a disk where none of the names changed. */
export class ImageKnowledge {
  /** Every name that was looked up. */
  readonly consulted = new Set(['/'])
  /** Files by absolute path; null where there is none. */
  readonly texts = new Map<string, ImageText | null>()
}

interface ImageText {
  readonly text: string
  /** Its path in the image. */
  readonly source: string
}

export class LoadingFiles implements Lookups {
  /** Whether anything was looked up in a directory that a program made. */
  leftImage = false
  /** Called before anything is looked up on the disk. */
  reader: { beforeLookup(): void } | null = null
  readonly #process: RunningProcess
  #knowledge: ImageKnowledge | null = null
  #holds = true
  #checkedChanges = 0
  #checkedNames = 0
  #pristine: FileView | null = null

  constructor(process: RunningProcess) {
    this.#process = process
  }

  get view(): FileView {
    return filesOf(this.#process)
  }

  /** Uses what is known of the image of this disk, and adds to it. */
  use(knowledge: ImageKnowledge): void {
    this.#knowledge = knowledge
  }

  /** Whether what is known of the image holds on this disk. Once it does not, it never will. */
  get holds(): boolean {
    if (this.#knowledge === null) return false
    const { places } = this.view.disk.changes
    if (!this.#holds || places.length === 0) return this.#holds
    const { consulted } = this.#knowledge
    const from = consulted.size === this.#checkedNames ? this.#checkedChanges : 0
    for (let i = from; i < places.length && this.#holds; i++) this.#holds = !consulted.has(places[i])
    this.#checkedNames = consulted.size
    this.#checkedChanges = places.length
    return this.#holds
  }

  /** What is there, if anything. */
  inode(path: string): Inode | null {
    return this.#look((view) => peek(view, path))
  }

  /** Without links; throws a disk failure. */
  realPath(path: string): string {
    return this.#look((view) => realPath(view, path))
  }

  /** The text of a file that may be read; null if there is none. */
  text(path: string): string | null {
    const found = this.#find(path)
    return found === undefined ? this.#changedText(path) : (found?.text ?? null)
  }

  /** As {@link text}, for unchanged files of the image. */
  imageText(path: string): string | null {
    return this.#find(path)?.text ?? null
  }

  /** Does something on the disk as it was when it was new. */
  asPristine(act: () => void): void {
    const { disk, cwd } = this.view
    this.#pristine = new FileView(disk.pristine(), { cwd })
    try {
      act()
    } finally {
      this.#pristine = null
    }
  }

  note(directory: Directory, name: string): void {
    const { place } = directory
    if (place === null) this.leftImage = true
    else this.#knowledge?.consulted.add(below(place, name))
  }

  /** What the image has, known or read now; undefined for what is there, but not the image's. */
  #find(path: string): ImageText | null | undefined {
    if (this.#pristine !== null || !this.holds) return this.#read(path)
    const { texts } = this.#knowledge!
    const known = texts.get(path)
    if (known === undefined) {
      const found = this.#read(path)
      if (found !== undefined && path.startsWith('/') && !this.leftImage && this.holds) texts.set(path, found)
      return found
    }
    if (known !== null) this.view.disk.medium.imageReads.add(known.source)
    return known
  }

  #read(path: string): ImageText | null | undefined {
    const inode = this.inode(path)
    if (inode === null) return null
    if (!(inode instanceof FileInode) || !this.view.mayAccess(inode, 4)) return undefined
    const bytes = inode.pristineBytes()
    return bytes === null ? undefined : { text: decode(bytes), source: inode.imagePath! }
  }

  #changedText(path: string): string | null {
    const inode = this.inode(path)
    if (!(inode instanceof FileInode) || !this.view.mayAccess(inode, 4)) return null
    const bytes = Buffer.allocUnsafeSlow(inode.data.size)
    inode.data.read(0, bytes)
    return bytes.toString('utf8')
  }

  #look<T>(ask: (view: FileView) => T): T {
    if (this.#pristine !== null) return ask(this.#pristine)
    this.reader?.beforeLookup()
    const { view } = this
    view.lookups = this
    try {
      return ask(view)
    } finally {
      view.lookups = null
    }
  }
}

/** The texts of image files, by their bytes: an image hands out the same ones as long as it has them. */
const texts = new WeakMap<Uint8Array, string>()

function decode(bytes: Uint8Array): string {
  let text = texts.get(bytes)
  if (text === undefined) {
    text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8')
    texts.set(bytes, text)
  }
  return text
}
