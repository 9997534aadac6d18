/**
 * What took long to make and is the same whenever it is made of the same, kept on the real disk: compiled TypeScript, the
 * rewritten parts of Node's library. Threads of a campaign and later runs find it there. An entry's name is the hash of
 * everything that went into it, so it is never out of date, and whoever finds one cannot tell who made it.
 *
 * It stands where tools keep such things, in `node_modules/.cache` of the working directory; without `node_modules` there
 * is none. It may be deleted at any time. Whatever goes wrong with it is as if there were no entry.
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

  /** `isResult` says of what was read from an entry, which somebody may have changed, whether it is one. */
  constructor(kind: string, isResult: (value: any) => boolean, root: string = hostProcess.cwd()) {
    this.#isResult = isResult
    const modules = join(root, 'node_modules')
    this.#folder = existsSync(modules) ? join(modules, '.cache/wavetank', kind) : null
  }

  /**
   * What was made of these parts, by anybody, unless it is refused; else makes it. It must be plain data. To be called as
   * the host.
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
      // Whole or not at all, whoever else is writing.
      const draft = `${file}.${hostProcess.pid}.${Math.random()}`
      writeFileSync(draft, JSON.stringify(result))
      renameSync(draft, file)
    } catch {
      // A full or read-only disk: the next one makes it again.
    }
  }
}
