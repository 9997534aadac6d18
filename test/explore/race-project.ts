/** A small project with races in a folder of its own, and the commands as its user runs them, in this process. */
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { vi } from 'vitest'
import type { ExploreOptions } from '../../src/explore/options.ts'
import { RaceFound, type RaceFinding } from '../../src/explore/finding.ts'
import { createRace, exploreFile, type Tank } from '../../src/explore/race.ts'
import { UsageError } from '../../src/kernel/errors.ts'
import { raceHost, racePath } from '../../src/race-host.ts'

export interface CommandOutcome {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

type CommandName = 'curve' | 'explain' | 'replay' | 'shrink' | 'trace'

/** Two deposits into a file, as plain promises; one of them can be lost. */
export const DEPOSITS = `import { readFile, writeFile } from 'node:fs/promises'
import { race } from 'wavetank/vitest'

const PATH: string = '/tmp/balance'

async function balance(): Promise<number> {
  return Number(await readFile(PATH, 'utf8'))
}

async function deposit(): Promise<void> {
  const before = await balance()
  await writeFile(PATH, String(before + 1))
}

race('deposits', async (t) => {
  await writeFile(PATH, '0')
  await Promise.all([deposit(), deposit()])
  t.assert((await balance()) === 2, 'a deposit was lost')
})
`

export class RaceProject {
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

  /** Explores a race until it is found and keeps it; returns its trace file, relative to the project. */
  async record(name: string, title: string, options: ExploreOptions = {}): Promise<string> {
    const found = await this.explore(name, title, options).catch((error: unknown) => error)
    if (!(found instanceof RaceFound)) throw new Error('nothing was found', { cause: found })
    return this.keep(name, found.finding, options)
  }

  /** Keeps a finding; returns its trace file, relative to the project. */
  keep(name: string, finding: RaceFinding, options: ExploreOptions = {}): string {
    this.host.keep(join(this.folder, name), finding, options)
    return racePath({ file: name, title: finding.title, suite: options.suite })
  }

  tank(file: string): Tank {
    return this.host.tank(file)
  }

  explore(name: string, title: string, options: ExploreOptions) {
    const file = join(this.folder, name)
    return exploreFile(file, title, { iterations: 200, ...options }, this.host.tank(file))
  }

  finding(trace: string): RaceFinding {
    return (JSON.parse(this.read(trace)) as { config: { finding: RaceFinding } }).config.finding
  }

  async command(name: CommandName, ...args: readonly string[]): Promise<CommandOutcome> {
    const { run } = await COMMANDS[name]()
    const before = process.cwd()
    const out = { stdout: '', stderr: '' }
    const spies = (['stdout', 'stderr'] as const).map((stream) =>
      vi.spyOn(process[stream], 'write').mockImplementation((text) => ((out[stream] += String(text)), true)),
    )
    process.chdir(this.folder)
    try {
      return { code: await run(args), ...out }
    } catch (error) {
      if (!(error instanceof UsageError)) throw error
      return { code: 254, ...out, stderr: `${out.stderr}${error.message}` }
    } finally {
      process.chdir(before)
      for (const spy of spies) spy.mockRestore()
    }
  }

  remove(): void {
    rmSync(this.folder, { recursive: true })
  }

  private readonly host = raceHost(() => ({ modules: { 'wavetank/vitest': { race: DECLARING } } }))
}

const never = (): never => {
  throw new Error('a race was declared outside of its world')
}

const DECLARING = createRace(
  { test: never, only: never, skip: never },
  { tank: never, keep: never, nowMs: never, note: never },
)

const COMMANDS = {
  curve: () => import('../../src/cli/curve.ts'),
  explain: () => import('../../src/cli/explain.ts'),
  replay: () => import('../../src/cli/replay.ts'),
  shrink: () => import('../../src/cli/shrink.ts'),
  trace: () => import('../../src/cli/trace.ts'),
}
