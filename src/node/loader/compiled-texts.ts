/**
 * What the TypeScript compiler made of files, kept on the real disk: threads of a campaign and later runs need not start
 * the compiler, which costs more than most programs. An entry's name is the hash of everything that went into it, so it
 * is never out of date, and whoever finds one cannot tell who made it.
 *
 * It stands where tools keep such things, in `node_modules/.cache` of the working directory; without `node_modules` there
 * is none. It may be deleted at any time. Whatever goes wrong with it is as if there were no entry.
 */
import { createHash } from 'node:crypto'
import fs from 'node:fs'
import { join } from 'node:path'

export interface CompiledText {
  readonly code: string
  readonly map: string
}

// Taken now: while a world runs, a program may change the host's module.
const { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } = fs

export class CompiledTexts {
  readonly #folder: string | null
  #isMade = false

  constructor(root: string = process.cwd()) {
    const modules = join(root, 'node_modules')
    this.#folder = existsSync(modules) ? join(modules, '.cache/wavetank/typescript') : null
  }

  /** What was made of these parts, by anybody; else makes it. */
  get(parts: readonly string[], make: () => CompiledText): CompiledText {
    if (this.#folder === null) return make()
    const name = createHash('sha256').update(JSON.stringify(parts)).digest('hex')
    const file = join(this.#folder, `${name}.json`)
    const known = read(file)
    if (known !== null) return known
    const { code, map } = make()
    this.#write(file, { code, map })
    return { code, map }
  }

  #write(file: string, text: CompiledText): void {
    try {
      if (!this.#isMade) mkdirSync(this.#folder!, { recursive: true })
      this.#isMade = true
      // Whole or not at all, whoever else is writing.
      const draft = `${file}.${process.pid}.${Math.random()}`
      writeFileSync(draft, JSON.stringify(text))
      renameSync(draft, file)
    } catch {
      // A full or read-only disk: the next one compiles again.
    }
  }
}

function read(file: string): CompiledText | null {
  try {
    const { code, map } = JSON.parse(readFileSync(file, 'utf8')) as Partial<CompiledText>
    return typeof code === 'string' && typeof map === 'string' ? { code, map } : null
  } catch {
    return null
  }
}
