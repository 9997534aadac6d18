/**
 * Reaching an inline simulation again. Its functions are closures of the program that made it, so no other program can
 * run them: its trace says which program that was (a test file under vitest, or a file under Node, which is also how
 * node:test runs one), and `wavetank replay` starts that program again with a question in its environment. `simulate()`
 * finds the question, answers it with the very simulation that failed, and ends the program's test.
 *
 * The question and the answer are files, because a test runner owns the streams of its tests.
 */
import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join, relative, resolve } from 'node:path'
import { deserialize, serialize } from 'node:v8'
import { parseTrace, printTrace, type InlineCommand, type SimulationTrace } from '../failures/trace-file.ts'
import { RecordedSimulation } from '../failures/recorded-simulation.ts'
import type {
  FailureSteps,
  RecordedFailure,
  Replay,
  ReplayOptions,
  ShrinkLimits,
  ShrunkFailure,
} from '../failures/recorded-failure.ts'
import type { RunRecorder } from '../failures/recorded-run.ts'
import { UsageError } from '../kernel/errors.ts'
import type { Simulation } from '../sim/authoring/definition.ts'

const QUESTION = 'WAVETANK_QUESTION'

interface Question {
  readonly trace: string
  readonly ask:
    | { readonly what: 'replay'; readonly until?: number | undefined }
    | { readonly what: 'shrink'; readonly maxRuns: number }
    | { readonly what: 'steps' }
  readonly answer: string
}

type Answer =
  { readonly value: unknown } | { readonly usage: { readonly code: string; readonly message: string } }

/** Thrown by `simulate()` after it answered: the test that called it has no result of its own. */
class Answered extends Error {
  override readonly name = 'Answered'
  readonly code = 'ERR_WAVETANK_ANSWERED'
}

/** Vitest's own record of the test that is running, on the global object. */
interface VitestGlobals {
  readonly __vitest_worker__?: { readonly filepath?: string; readonly config?: { readonly root?: string } }
  readonly [key: symbol]: unknown
}

/** How this program is started again. */
export function inlineCommand(root: string): InlineCommand {
  const host = globalThis as unknown as VitestGlobals
  const worker = host.__vitest_worker__
  if (worker?.filepath !== undefined) {
    const expect = host[Symbol.for('expect-global')] as
      { getState?: () => { currentTestName?: string } } | undefined
    const name = expect?.getState?.().currentTestName
    return {
      runner: 'vitest',
      file: relative(root, worker.filepath),
      titles: name === undefined ? null : name.split(' > '),
      folder: relative(root, worker.config?.root ?? root),
      nodeFlags: [],
    }
  }
  return {
    runner: 'node',
    file: relative(root, resolve(process.argv[1] ?? '.')),
    titles: null,
    folder: relative(root, process.cwd()),
    nodeFlags: process.execArgv.filter((flag) => !/^--(test|inspect|watch)/.test(flag)),
  }
}

/** Answers the question that this program was started with, if it is about this simulation; then throws. */
export async function answerInline(inline: Simulation, recorder: RunRecorder, root: string): Promise<void> {
  const path = process.env[QUESTION]
  if (path === undefined) return
  const { trace: text, ask, answer } = JSON.parse(readFileSync(path, 'utf8')) as Question
  const trace = parseTrace(text) as SimulationTrace
  const { simulation } = trace.config
  if (simulation.name !== inline.name || (inline.file ?? '') !== fileOf(trace, root, inline.file)) return
  if (existsSync(answer)) return // a second simulation of this name
  const failure = new RecordedSimulation(trace, recorder, root, '')
  writeFileSync(answer, serialize(await answerTo(failure, ask)))
  throw new Answered(`wavetank: ${ask.what} of ${simulation.name} is done; this test ends here`)
}

/** An inline simulation whose own file is not known is known by its program's. */
function fileOf({ config }: SimulationTrace, root: string, file: string | null): string {
  return file === null ? '' : resolve(root, config.simulation.file)
}

async function answerTo(failure: RecordedFailure, ask: Question['ask']): Promise<Answer> {
  try {
    switch (ask.what) {
      case 'replay':
        return { value: await failure.replay(ask.until === undefined ? {} : { until: ask.until }) }
      case 'shrink':
        return { value: await failure.shrink({ maxRuns: ask.maxRuns }) }
      case 'steps':
        return { value: await failure.steps() }
    }
  } catch (error) {
    if (!(error instanceof UsageError)) throw error
    return { usage: { code: error.code, message: error.message } }
  }
}

/** A recorded failure of an inline simulation: each question starts its program. */
export class RecordedInlineSimulation implements RecordedFailure {
  readonly trace: SimulationTrace
  private readonly command: InlineCommand
  private readonly root: string

  constructor(trace: SimulationTrace, command: InlineCommand, root: string) {
    this.trace = trace
    this.command = command
    this.root = root
  }

  replay({ until }: ReplayOptions = {}): Promise<Replay> {
    return this.ask({ what: 'replay', until }) as Promise<Replay>
  }

  shrink({ maxRuns }: ShrinkLimits): Promise<ShrunkFailure> {
    return this.ask({ what: 'shrink', maxRuns }) as Promise<ShrunkFailure>
  }

  steps(): Promise<FailureSteps> {
    return this.ask({ what: 'steps' }) as Promise<FailureSteps>
  }

  close(): Promise<void> {
    return Promise.resolve()
  }

  private async ask(ask: Question['ask']): Promise<unknown> {
    const folder = mkdtempSync(join(tmpdir(), 'wavetank-inline-'))
    const [path, answer] = [join(folder, 'question.json'), join(folder, 'answer')]
    try {
      const question: Question = { trace: printTrace(this.trace), ask, answer }
      writeFileSync(path, JSON.stringify(question))
      const output = await this.start(path)
      if (!existsSync(answer)) throw this.unanswered(output)
      const given = deserialize(readFileSync(answer)) as Answer
      if ('usage' in given) throw new UsageError(given.usage.code, given.usage.message)
      return given.value
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  }

  /** Runs the program to its end; resolves to what it printed. */
  private start(question: string): Promise<string> {
    const { folder } = this.command
    const { NODE_TEST_CONTEXT: _, ...env } = process.env // or node:test would speak to a parent that is not there
    const child = spawn(process.execPath, this.arguments(), {
      cwd: resolve(this.root, folder),
      env: { ...env, [QUESTION]: question },
    })
    const output: string[] = []
    child.stdout.on('data', (text) => output.push(String(text)))
    child.stderr.on('data', (text) => output.push(String(text)))
    return new Promise((done, failed) => {
      child.on('error', failed)
      child.on('close', () => done(output.join('')))
    })
  }

  private arguments(): string[] {
    const { runner, file, titles, nodeFlags } = this.command
    const path = resolve(this.root, file)
    if (runner === 'node') return [...nodeFlags, path]
    const vitest = join(dirname(vitestPackage(path)), 'vitest.mjs')
    const folder = resolve(this.root, this.command.folder)
    const pattern = titles?.map((title) => title.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('.*')
    const only = pattern === undefined ? [] : ['-t', pattern]
    return [vitest, 'run', relative(folder, path), '--root', folder, ...only]
  }

  private unanswered(output: string): UsageError {
    const { simulation } = this.trace.config
    const { runner, file } = this.command
    const by = runner === 'vitest' ? `vitest run ${file}` : `node ${file}`
    return new UsageError(
      'ERR_WAVETANK_NO_SIMULATION',
      `the trace is of the inline simulation '${simulation.name}', and \`${by}\` ended without running it:\n${output.trim().slice(-2000)}`,
    )
  }
}

/** As the test file sees it, or as this package does. */
function vitestPackage(file: string): string {
  for (const from of [file, import.meta.url]) {
    try {
      return createRequire(from).resolve('vitest/package.json')
    } catch {
      // the next place
    }
  }
  throw new UsageError('ERR_WAVETANK_NO_RUNNER', `vitest, which runs ${file}, is not installed here`)
}
