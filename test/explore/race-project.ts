/** A small project with races in a folder of its own, and the commands as its user runs them, in this process. */
import { join } from 'node:path'
import { vi } from 'vitest'
import type { RaceFinding } from '../../src/explore/finding/finding.ts'
import type { ExploreOptions } from '../../src/explore/search/options.ts'
import type { Tank } from '../../src/explore/search/race-file.ts'
import { RaceFolder } from '../../src/explore/search/race-folder.test-support.ts'
import { UsageError } from '../../src/kernel/errors.ts'
import { racePath } from '../../src/failures/keep.ts'
import { raceHost } from '../../src/runners/race-host.ts'
import { createRace } from '../../src/runners/race.ts'

export interface CommandOutcome {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

type CommandName = 'corpus' | 'curve' | 'explain' | 'replay' | 'shrink' | 'trace'

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

export class RaceProject extends RaceFolder {
  /** Explores a race until it is found and keeps it; returns its trace file, relative to the project. */
  async record(name: string, title: string, options: ExploreOptions = {}): Promise<string> {
    return this.keep(name, await this.find(name, title, options), options)
  }

  /** Keeps a finding; returns its trace file, relative to the project. */
  keep(name: string, finding: RaceFinding, options: ExploreOptions = {}): string {
    this.host.keep(join(this.folder, name), finding, options)
    return racePath({ file: name, title: finding.title, suite: options.suite })
  }

  override tank(file: string): Tank {
    return this.host.tank(file)
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
  corpus: () => import('../../src/cli/corpus/command.ts'),
  curve: () => import('../../src/cli/failure/curve.ts'),
  explain: () => import('../../src/cli/failure/explain.ts'),
  replay: () => import('../../src/cli/failure/replay.ts'),
  shrink: () => import('../../src/cli/failure/shrink.ts'),
  trace: () => import('../../src/cli/failure/trace.ts'),
}
