/**
 * Results that take long to make and depend on nothing but their inputs, kept on the real disk: compiled TypeScript, the
 * rewritten parts of Node's library. Threads of a campaign and later runs find them there. An entry's name is the hash of
 * all its inputs, so an entry is never out of date, and it does not matter which thread or run made it.
 *
 * They are where tools keep such things, in `node_modules/.cache` of the working directory; without `node_modules` there
 * are none. The folder may be deleted at any time. If an entry cannot be read or written, it counts as absent.
 */
import { createHash } from 'node:crypto'
import fs from 'node:fs'
import { join } from 'node:path'

// Taken now: while a world runs, a program may change the host's module, and `process` is a simulated one.
const hostProcess = process
const { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } = fs

export class KeptResults<T> {
  readonly #isResult: (value: any) => boolean
  readonly #folder: string | null
  #isMade = false

  /** `isResult` checks the content of an entry, which may have been changed from outside. */
  constructor(kind: string, isResult: (value: any) => boolean, root: string = hostProcess.cwd()) {
    this.#isResult = isResult
    const modules = join(root, 'node_modules')
    this.#folder = existsSync(modules) ? join(modules, '.cache/wavetank', kind) : null
  }

  /**
   * The kept result of these parts, if there is one and `accepts` does not refuse it; else makes it. It must be plain
   * data. To be called as the host.
   */
  get(parts: readonly string[], make: () => T, accepts: (kept: T) => boolean = () => true): T {
    if (this.#folder === null) return make()
    const name = createHash('sha256').update(JSON.stringify(parts)).digest('hex')
    const file = join(this.#folder, `${name}.json`)
    const kept = this.#read(file)
    if (kept !== undefined && accepts(kept)) return kept
    const made = make()
    this.#write(file, made)
    return made
  }

  #read(file: string): T | undefined {
    try {
      const value: unknown = JSON.parse(readFileSync(file, 'utf8'))
      return this.#isResult(value) ? (value as T) : undefined
    } catch {
      return undefined
    }
  }

  #write(file: string, result: T): void {
    try {
      if (!this.#isMade) mkdirSync(this.#folder!, { recursive: true })
      this.#isMade = true
      // Whole or not at all: other threads may write the same entry.
      const draft = `${file}.${hostProcess.pid}.${Math.random()}`
      writeFileSync(draft, JSON.stringify(result))
      renameSync(draft, file)
    } catch {
      // A full or read-only disk: the next one makes it again.
    }
  }
}
