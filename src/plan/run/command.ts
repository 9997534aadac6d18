/**
 * Runs one command of a scenario: output into a log file, a limit on its time, and nothing left behind. The command gets a
 * process group of its own; when its time is up, the whole group is asked to end, and killed if it does not.
 */
import { spawn } from 'node:child_process'
import { createWriteStream } from 'node:fs'
import { dirname } from 'node:path'
import { finished } from 'node:stream/promises'
import { notWritable } from './session.ts'

export interface CommandRequest {
  /** A program with its arguments, or a text for the shell. */
  readonly command: readonly string[] | string
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
  readonly logFile: string
  readonly timeoutMs: number
  /** The last line of output, now and then: for a line of progress. */
  readonly onOutput?: (line: string) => void
}

export interface CommandOutcome {
  /** Null if a signal ended it, or if it could not be started. */
  readonly code: number | null
  readonly timedOut: boolean
  readonly wallMs: number
  /** Why it could not be started. */
  readonly error: string | null
  /** The error that its output ends with, or else its last lines: what a person would look up first. */
  readonly last: string
}

/** Time between the request to end and the kill. */
const GRACE_MS = 2000
/** The end of the output, in which its error may be: Node prints a stack and its version after it. */
const LOOKED_AT_CHARS = 4000

export async function runCommand(request: CommandRequest): Promise<CommandOutcome> {
  const { command, cwd, env, logFile, timeoutMs, onOutput } = request
  const log = createWriteStream(logFile, { flags: 'a' })
  let logError: Error | null = null
  log.on('error', (error) => {
    logError = error
    endGroup('SIGKILL')
  })
  const begunMs = performance.now()
  const [program, args, shell] =
    typeof command === 'string' ? [command, [], true] : [command[0], command.slice(1), false]
  const child = spawn(program, args, {
    cwd,
    env: { ...process.env, ...env },
    shell,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const endGroup = (signal: NodeJS.Signals): void => {
    try {
      process.kill(-child.pid!, signal)
    } catch {
      // The group is gone already.
    }
  }
  // A session that is interrupted must not leave a scenario behind.
  const onInterrupt = (): void => endGroup('SIGKILL')
  process.once('exit', onInterrupt)
  let timedOut = false
  let kill: NodeJS.Timeout | undefined
  const limit = setTimeout(() => {
    timedOut = true
    endGroup('SIGTERM')
    kill = setTimeout(() => endGroup('SIGKILL'), GRACE_MS)
  }, timeoutMs)
  let end = ''
  const take = (chunk: Buffer): void => {
    log.write(chunk)
    end = (end + String(chunk)).slice(-LOOKED_AT_CHARS)
    onOutput?.(String(chunk).trimEnd().split('\n').at(-1) ?? '')
  }
  child.stdout.on('data', take)
  child.stderr.on('data', take)
  const { code, error } = await new Promise<Pick<CommandOutcome, 'code' | 'error'>>((resolve) => {
    child.once('error', ({ message }) => resolve({ code: null, error: message }))
    child.once('close', (status) => resolve({ code: status, error: null }))
  })
  clearTimeout(limit)
  clearTimeout(kill)
  process.removeListener('exit', onInterrupt)
  if (timedOut) endGroup('SIGKILL')
  if (logError === null) {
    log.end()
    await finished(log).catch(() => {}) // its listener has the error
  }
  if (logError !== null) throw notWritable(dirname(dirname(logFile)), logError)
  return { code, timedOut, wallMs: Math.round(performance.now() - begunMs), error, last: lastOf(end) }
}

function lastOf(output: string): string {
  const lines = output.split('\n').filter((line) => line.trim() !== '')
  const error = lines.findLast((line) => /^(Uncaught )?[\w.]*(Error|Exception)\b/.test(line))
  return (error ?? lines.slice(-3).join(' / ')).slice(-500)
}
