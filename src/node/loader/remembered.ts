/**
 * Answers of Node's resolvers that a thread remembers. A resolution asks the disk dozens of times; booted again on the
 * same image, a program asks the same and gets the same, unless something changed that an answer depended on. So every
 * name that loaders look up is written down per image, and answers are used on a disk as long as none of those names is
 * among its changes. From the first such change on the process resolves as ever.
 *
 * A process cannot tell whether an answer was remembered: resolving costs no virtual time and no choice. What Node's
 * resolvers would have kept in their own caches (a `package.json` is read once per process) they are made to read when
 * they are first needed again, from the disk as it was.
 *
 * Not remembered: what throws, answers that came with a warning, and what involves directories made by programs.
 */
import { fileURLToPath } from 'node:url'
import type { ImageMount, ImageReader } from '../../world/disk/image.ts'
import { ImageKnowledge, type LoadingFiles } from '../bindings/fs/loading.ts'

/** Answers by importer, then by request. */
type Answers = Map<string, Map<string, unknown>>

/** The answers of a thread's resolvers about an image. */
class ImageAnswers extends ImageKnowledge {
  /** By what else the answers depend on. */
  readonly bySettings = new Map<string, Answers>()
}

/** The memory of a thread. */
export class ResolutionMemory {
  /** The `node_modules` folders to be searched from a directory. */
  readonly folders = new Map<string, readonly string[]>()
  readonly #readers = new WeakMap<ImageReader, number>()
  /** By the youngest reader of an image, with which they go: some live no longer than their world. */
  readonly #images = new WeakMap<object, Map<string, ImageAnswers>>()
  #readersSeen = 0

  of(image: readonly ImageMount[]): ImageAnswers {
    const key = image.map(({ at, from, reader }) => `${at}\0${from}\0${this.#numberOf(reader)}`).join('\0')
    const readers = image.map(({ reader }) => reader)
    const [youngest = this] = readers.sort((a, b) => this.#numberOf(b) - this.#numberOf(a))
    let images = this.#images.get(youngest)
    if (images === undefined) this.#images.set(youngest, (images = new Map()))
    let answers = images.get(key)
    if (answers === undefined) images.set(key, (answers = new ImageAnswers()))
    return answers
  }

  #numberOf(reader: ImageReader): number {
    let number = this.#readers.get(reader)
    if (number === undefined) this.#readers.set(reader, (number = ++this.#readersSeen))
    return number
  }
}

/** The use that one process makes of it. */
export class Remembered {
  readonly #memory: ResolutionMemory
  readonly #files: LoadingFiles
  readonly #process: any
  #image: ImageAnswers | null = null
  #answers: Answers = new Map()
  /** The resolutions that were not made because their answer was known. */
  #owed: (() => unknown)[] = []

  constructor(memory: ResolutionMemory, files: LoadingFiles, process: object) {
    this.#memory = memory
    this.#files = files
    this.#process = process
    files.reader = this
  }

  /** Resolutions that were not made may have to be, before the disk is asked. */
  beforeLookup(): void {
    if (this.#owed.length > 0 && !this.#files.holds) this.#catchUp()
  }

  /** Sets what answers depend on besides image, importer and request. */
  use(settings: string): void {
    if (this.#image === null) {
      this.#image = this.#memory.of(this.#files.view.disk.image)
      this.#files.use(this.#image)
    }
    const { bySettings } = this.#image
    let answers = bySettings.get(settings)
    if (answers === undefined) bySettings.set(settings, (answers = new Map()))
    this.#answers = answers
  }

  /**
   * The answer, remembered or resolved now. `importer` is the path or URL of the asking file, empty when no file asks;
   * `resolve` may be called once more, later.
   */
  answer<T>(importer: string, request: string, resolve: () => T): T {
    if (!this.#files.holds) return resolve()
    let answers = this.#answers.get(importer)
    const known = answers?.get(request)
    if (known !== undefined) {
      this.#owed.push(resolve)
      return known as T
    }
    const { value, quiet } = this.#watchingWarnings(resolve)
    if (quiet && this.#isOfImage(importer) && this.#files.holds) {
      if (answers === undefined) this.#answers.set(importer, (answers = new Map()))
      answers.set(request, value)
    }
    return value
  }

  #isOfImage(importer: string): boolean {
    const path = importer.startsWith('file:') ? fileURLToPath(importer) : importer
    const place = path === '' ? '' : this.#files.inode(path)?.place
    return place === path && !this.#files.leftImage
  }

  #watchingWarnings<T>(resolve: () => T): { value: T; quiet: boolean } {
    const process = this.#process
    const { emitWarning } = process
    let quiet = true
    process.emitWarning = function (...args: unknown[]): void {
      quiet = false
      Reflect.apply(emitWarning, this, args)
    }
    try {
      return { value: resolve(), quiet }
    } finally {
      process.emitWarning = emitWarning
    }
  }

  #catchUp(): void {
    const owed = this.#owed
    this.#owed = []
    this.#files.asPristine(() => {
      for (const resolve of owed) {
        try {
          resolve()
        } catch {
          // The program has replaced a part of the resolver since.
        }
      }
    })
  }
}
