/**
 * The files of a real run. What happens is appended line by line as it happens, so that a tool that dies loses at most
 * its last line; the rest is written at the end.
 */
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { UsageError } from '../../kernel/errors.ts'
import type { PublishedEvent } from '../../sim/authoring/event-log.ts'
import type { TurnRecord } from './load.ts'
import type { RealFaultRecord } from '../nemeses/nemesis.ts'

/** What `analyze` needs to know of a run besides its events. */
export interface StoredTest {
  readonly version: 1
  readonly name: string
  readonly file: string
  readonly seed: number
  readonly nodes: readonly string[]
  /** What the tank calls them, in the same order. */
  readonly tankNames: readonly string[]
  /** How many processes each group has. */
  readonly counts: Readonly<Record<string, number>>
  readonly concurrency: number
  readonly rate: number
  readonly timeLimitS: number
  readonly nemeses: readonly string[]
  /** Why invariants were left out as a whole. */
  readonly blind?: string
}

/** Turns are about speed, not about what happened: a tool that dies may lose this many. */
const TURNS_AT_ONCE = 200

export class RunFolder {
  readonly path: string
  readonly #turns: string[] = []

  constructor(path: string) {
    this.path = path
  }

  file(name: string): string {
    return join(this.path, name)
  }

  get history(): string {
    return this.file('history.jsonl')
  }

  get events(): string {
    return this.file('events.jsonl')
  }

  get logs(): string {
    return this.file('logs')
  }

  /** Makes the folder, and `latest` beside it. */
  begin(test: StoredTest): void {
    mkdirSync(this.logs, { recursive: true })
    this.write('test.json', `${JSON.stringify(test, null, 2)}\n`)
    // By a rename: another run of the same test may do it in the same moment.
    const link = `${this.path}.link`
    symlinkSync(basename(this.path), link)
    renameSync(link, join(dirname(this.path), 'latest'))
  }

  write(name: string, text: string): void {
    writeFileSync(this.file(name), text)
  }

  fault(record: RealFaultRecord): void {
    appendFileSync(this.file('faults.jsonl'), `${JSON.stringify(record)}\n`)
  }

  turn(record: TurnRecord): void {
    this.#turns.push(JSON.stringify(record))
    if (this.#turns.length >= TURNS_AT_ONCE) this.flush()
  }

  /** Writes what was kept back. */
  flush(): void {
    if (this.#turns.length > 0)
      appendFileSync(this.file('load.jsonl'), `${this.#turns.splice(0).join('\n')}\n`)
  }

  turns(): TurnRecord[] {
    return this.#lines('load.jsonl')
  }

  test(): StoredTest {
    if (!existsSync(this.file('test.json'))) {
      throw new UsageError(
        'ERR_WAVETANK_RUN',
        `${this.path} is no folder of a real run: it has no test.json; results are in .wavetank/real/NAME/TIME`,
      )
    }
    return JSON.parse(readFileSync(this.file('test.json'), 'utf8')) as StoredTest
  }

  faults(): RealFaultRecord[] {
    return this.#lines<RealFaultRecord>('faults.jsonl')
  }

  storedEvents(): Omit<PublishedEvent, 'seq'>[] {
    return this.#lines('events.jsonl')
  }

  /** A last line that is torn is left out. */
  #lines<T>(name: string): T[] {
    if (!existsSync(this.file(name))) return []
    const lines = readFileSync(this.file(name), 'utf8').split('\n')
    return lines.slice(0, -1).map((line) => JSON.parse(line) as T)
  }
}
