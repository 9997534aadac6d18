/**
 * The disk as the module loaders of a process ask it: what is at a path, what is its text, where it really is. They ask
 * thousands of times for what is mostly not there, so nothing here throws for that, takes virtual time or meets a disk
 * fault: program files that nobody changed are spared by all of them. Texts of the image are decoded once per thread.
 *
 * Writes down every name that it looks up: see {@link Remembered} for what that is good for.
 */
import { Buffer } from 'node:buffer'
import { below, type Directory } from '../../world/disk/directory.ts'
import { FileView } from '../../world/disk/file-view.ts'
import { FileInode, type Inode } from '../../world/disk/inode.ts'
import { peek, realPath } from '../../world/disk/path-walk.ts'
import type { Lookups } from '../../world/disk/planted-changes.ts'
import { touchAtime } from '../../world/disk/read-write.ts'
import type { NodeProcess } from '../process.ts'
import { filesOf } from './fs-view.ts'

const FILES = Symbol('files of the loaders')

export function loadingFiles(process: NodeProcess): LoadingFiles {
  let files = process.state.get(FILES) as LoadingFiles | undefined
  if (files === undefined) process.state.set(FILES, (files = new LoadingFiles(process)))
  return files
}

export class LoadingFiles implements Lookups {
  /** Where the names that are looked up are collected. */
  consulted: Set<string> | null = null
  /** Whether anything was looked up in a directory that a program made. */
  leftPlanted = false
  /** Called before anything is looked up on the disk as it is. */
  beforeLookup: () => void = () => {}
  readonly #process: NodeProcess
  #pristine: FileView | null = null

  constructor(process: NodeProcess) {
    this.#process = process
  }

  get view(): FileView {
    return filesOf(this.#process)
  }

  /** What is there, if anything. */
  inode(path: string): Inode | null {
    return this.#look((view) => peek(view, path))
  }

  /** Without links; throws a disk failure. */
  realPath(path: string): string {
    return this.#look((view) => realPath(view, path))
  }

  /** The text of a file, null if it is none. */
  text(path: string): string | null {
    const inode = this.inode(path)
    if (!(inode instanceof FileInode)) return null
    return textOf(inode.pristineBytes()) ?? changedText(inode)
  }

  /** The text of a file of the image, read as a program would; null leaves the reading, or the failing, to others. */
  programText(path: string): string | null {
    const { view } = this
    const inode = peek(view, path)
    if (!(inode instanceof FileInode) || !view.mayAccess(inode, 4)) return null
    const text = textOf(inode.pristineBytes())
    if (text !== null) touchAtime(view.disk, inode)
    return text
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
    if (place === null) this.leftPlanted = true
    else this.consulted?.add(below(place, name))
  }

  #look<T>(ask: (view: FileView) => T): T {
    if (this.#pristine !== null) return ask(this.#pristine)
    this.beforeLookup()
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

function textOf(bytes: Uint8Array | null): string | null {
  if (bytes === null) return null
  let text = texts.get(bytes)
  if (text === undefined) {
    text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8')
    texts.set(bytes, text)
  }
  return text
}

function changedText({ data }: FileInode): string {
  const bytes = Buffer.allocUnsafeSlow(data.size)
  data.read(0, bytes)
  return bytes.toString('utf8')
}
