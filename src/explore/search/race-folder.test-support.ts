/** A folder with files of races for tests, and explorations of them without a test runner. */
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { projectImage } from '../../node/index.ts'
import { currentCollection } from '../authoring/race-collection.ts'
import type { RaceFinding } from '../finding/finding.ts'
import type { RaceBody } from '../running/environment.ts'
import type { Exploration, ExploreResult } from './exploration.ts'
import type { ExploreOptions } from './options.ts'
import { exploreFile, type Tank } from './race-file.ts'

/** `race` of `wavetank/vitest`, as far as a file inside a world needs it: the options are those of the test. */
function race(title: string, ...rest: readonly unknown[]): void {
  currentCollection()!.add({ title, body: rest.at(-1) as RaceBody })
}

export class RaceFolder {
  readonly folder: string

  constructor(files: Readonly<Record<string, string>>) {
    this.folder = realpathSync(mkdtempSync(join(tmpdir(), 'wavetank-races-')))
    this.write('package.json', '{ "type": "module" }')
    for (const [name, text] of Object.entries(files)) this.write(name, text)
  }

  write(name: string, text: string): void {
    mkdirSync(dirname(join(this.folder, name)), { recursive: true })
    writeFileSync(join(this.folder, name), text)
  }

  read(name: string): string {
    return readFileSync(join(this.folder, name), 'utf8')
  }

  remove(): void {
    rmSync(this.folder, { recursive: true })
  }

  tank(_file: string): Tank {
    const { folder: root } = this
    return {
      root,
      image: [{ at: root, from: root, reader: projectImage() }],
      hostModules: { 'wavetank/vitest': { race } },
    }
  }

  explore(name: string, title: string, options: ExploreOptions = {}): Promise<Exploration> {
    const file = join(this.folder, name)
    return exploreFile(file, title, { iterations: 200, ...options }, this.tank(file))
  }

  /** The result of an exploration that holds; an error if it finds something. */
  async hold(name: string, title: string, options?: ExploreOptions): Promise<ExploreResult> {
    const exploration = await this.explore(name, title, options)
    if (exploration.kind !== 'found') return exploration.result
    throw new Error(`found: ${exploration.finding.failure.message}`, { cause: exploration.finding })
  }

  /** What an exploration finds; an error if it holds. */
  async find(name: string, title: string, options?: ExploreOptions): Promise<RaceFinding> {
    const exploration = await this.explore(name, title, options)
    if (exploration.kind === 'found') return exploration.finding
    throw new Error(`nothing was found: ${exploration.result.summary}`)
  }
}
