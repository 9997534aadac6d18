/**
 * `wavetank explain FILE`: asks Anthropic's API to explain a failure in plain language. Only when a person asks for it, with
 * their own key, and never in CI; `WAVETANK_LLM=off` forbids it, and `--dry-run` prints what would be sent and sends
 * nothing. The SDK is an optional peer dependency, loaded here and nowhere else.
 */
import { Option, type Command } from 'commander'
import type * as Sdk from '@anthropic-ai/sdk'
import { readFileSync } from 'node:fs'
import { isAbsolute, relative, resolve } from 'node:path'
import { UsageError } from '../../kernel/errors.ts'
import { loadConfig, projectRoot } from '../../host/project.ts'
import { describe, parse, wallTime } from '../arguments.ts'
import { raceExplanation, simulationExplanation, type ExplanationRequest } from './explanation.ts'
import { withFailure } from './open-failure.ts'

interface ExplainOptions {
  readonly model?: string
  readonly baseUrl?: string
  readonly timeout: number
  readonly dryRun?: boolean
}

const DEFAULT_MODEL = 'claude-sonnet-5-5'

export function command(): Command {
  return describe('explain')
    .argument('<file>', 'a trace file of a race or a simulation, or the folder of a campaign')
    .option('--model <name>', `the model to ask; ${DEFAULT_MODEL} by default`)
    .option('--base-url <url>', 'where to ask')
    .addOption(new Option('--timeout <time>', 'how long to wait').argParser(wallTime).default(60_000, '60s'))
    .option('--dry-run', 'print what would be sent, and send nothing')
}

export async function run(args: readonly string[]): Promise<number> {
  const given = parse(command(), args)
  if (given === null) return 0
  const options = given.opts<ExplainOptions>()
  const [file] = given.args
  const { config } = await loadConfig(process.cwd())
  const model = options.model ?? config.explain?.model ?? DEFAULT_MODEL
  const root = projectRoot(process.cwd())
  const request = await requestFor(file, model, (path) => sourceOf(root, path))
  if (options.dryRun === true) {
    process.stdout.write(`model: ${model}\n\n${request.system}\n\n${request.messages[0].content}`)
    return 0
  }
  const answer = await ask(request, {
    apiKey: permittedKey(process.env),
    baseUrl: options.baseUrl ?? config.explain?.baseUrl,
    timeoutMs: options.timeout,
  })
  if ('problem' in answer) {
    process.stderr.write(`wavetank: explain: ${answer.problem}\n`)
    return 2
  }
  process.stdout.write(`${answer.text}\n`)
  return 0
}

/** A race is in its trace; a simulation is run again for its story. */
function requestFor(
  file: string,
  model: string,
  read: (path: string) => string | null,
): Promise<ExplanationRequest> {
  return withFailure(file, async (failure) => {
    const { trace } = failure
    if (trace.kind === 'race')
      return raceExplanation(trace.config.finding, trace.config.race.file, model, read)
    const replay = await failure.replay()
    if (replay.kind === 'simulation' && replay.failure !== null)
      return simulationExplanation(replay, model, read)
    throw new UsageError(
      'ERR_WAVETANK_TRACE_FILE',
      `explain: ${file} does not fail any more, so there is nothing to explain`,
    )
  })
}

/** The text of a file of the project, and of nothing outside it. */
function sourceOf(root: string, path: string): string | null {
  const inside = relative(root, resolve(root, path))
  if (inside === '' || inside.startsWith('..') || isAbsolute(inside)) return null
  try {
    return readFileSync(resolve(root, inside), 'utf8')
  } catch {
    return null // a position in something that is not a file here
  }
}

/** The key, where asking is allowed. */
function permittedKey(env: NodeJS.ProcessEnv): string {
  const refuse = (code: string, reason: string): never => {
    throw new UsageError(code, `explain: ${reason}; --dry-run prints what would be sent`)
  }
  if (env.WAVETANK_LLM === 'off') refuse('ERR_WAVETANK_EXPLAIN_OFF', 'WAVETANK_LLM=off forbids it')
  if (env.CI !== undefined && env.CI !== '' && env.CI !== 'false')
    refuse('ERR_WAVETANK_EXPLAIN_CI', 'CI is set, and nothing is sent from there')
  const key = env.ANTHROPIC_API_KEY
  if (key === undefined || key === '')
    return refuse('ERR_WAVETANK_EXPLAIN_KEY', 'set ANTHROPIC_API_KEY to your key')
  return key
}

interface Access {
  readonly apiKey: string
  readonly baseUrl: string | undefined
  readonly timeoutMs: number
}

type Answer = { readonly text: string } | { readonly problem: string }

async function ask(request: ExplanationRequest, { apiKey, baseUrl, timeoutMs }: Access): Promise<Answer> {
  const { Anthropic, APIConnectionTimeoutError, APIError } = await loadSdk()
  const client = new Anthropic({ apiKey, baseURL: baseUrl, timeout: timeoutMs, maxRetries: 1 })
  try {
    const message = await client.messages.create({ ...request, messages: [...request.messages] })
    const blocks: readonly { type: string; text?: string }[] = Array.isArray(message.content)
      ? message.content
      : []
    const text = blocks.map((block) => (block.type === 'text' ? block.text : '')).join('')
    return text === '' ? { problem: 'the answer is not a message' } : { text }
  } catch (error) {
    if (error instanceof APIConnectionTimeoutError)
      return { problem: `no answer within ${timeoutMs / 1000} s` }
    if (!(error instanceof APIError))
      return { problem: `the answer cannot be read: ${(error as Error).message}` }
    return { problem: refusal(error.status as number | undefined, error.message) }
  }
}

function refusal(status: number | undefined, message: string): string {
  if (status === undefined) return `the API cannot be reached: ${message}`
  if (status === 401) return 'the API refused the key in ANTHROPIC_API_KEY (401)'
  if (status === 429) return 'the API wants fewer requests (429); try again later'
  return `the API answered ${message}`
}

async function loadSdk(): Promise<typeof Sdk> {
  try {
    return await import('@anthropic-ai/sdk')
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    const absent = code === 'ERR_MODULE_NOT_FOUND' && message.includes("'@anthropic-ai/sdk'")
    const what = absent ? 'needs the package' : 'cannot load the package'
    const why = absent ? '' : `: ${message}`
    throw new UsageError(
      'ERR_WAVETANK_EXPLAIN_SDK',
      `explain: it ${what} @anthropic-ai/sdk${why}; npm install --save-dev @anthropic-ai/sdk installs it, --dry-run does without`,
      { cause: error },
    )
  }
}
