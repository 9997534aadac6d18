/** What real Node made of each file, kept between runs: half of a conformance run's time, and it does not change. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'

export interface Run {
  readonly code: number | null
  readonly signal: string | null
  readonly output: string
}

const KEPT_OUTPUT = 400

export class RealResults {
  private readonly file: string
  private readonly runs: Map<string, Run>

  constructor(file: string) {
    this.file = file
    this.runs = new Map(
      existsSync(file) ? Object.entries(JSON.parse(readFileSync(file, 'utf8')) as Record<string, Run>) : [],
    )
  }

  get(name: string): Run | undefined {
    return this.runs.get(name)
  }

  set(name: string, { code, signal, output }: Run): void {
    this.runs.set(name, { code, signal, output: output.slice(0, KEPT_OUTPUT) })
  }

  save(): void {
    mkdirSync(dirname(this.file), { recursive: true })
    writeFileSync(this.file, JSON.stringify(Object.fromEntries(this.runs)))
  }
}
