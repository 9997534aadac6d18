/** The command line as a child process: its output, progress by the lines of its standard error, and cancellation. */
import { spawn } from 'node:child_process'

export interface ChildOutcome {
  /** Null if a signal ended it. */
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

export interface ChildOptions {
  readonly folder: string
  readonly signal: AbortSignal
  /** Called for each line of standard error. */
  readonly onLine: (line: string) => void
}

/** How long a child may take to report and end after it was interrupted. */
const GRACE_MS = 10_000

/** Output beyond this is dropped: no answer needs it, and memory has an end. */
const MOST_CHARACTERS = 64_000_000

/** Runs `node [...args]`. An abort interrupts it as Ctrl-C would, and ends it if it does not listen. */
export function runChild(
  args: readonly string[],
  { folder, signal, onLine }: ChildOptions,
): Promise<ChildOutcome> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, args, {
      cwd: folder,
      env: { ...process.env, NO_COLOR: '1', FORCE_COLOR: '', CI: 'true', WAVETANK_PROGRESS_MS: '1000' },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let [stdout, stderr, line] = ['', '', '']
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      if (stdout.length < MOST_CHARACTERS) stdout += text
    })
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      stderr = (stderr + text).slice(-100_000)
      const lines = (line + text).split('\n')
      line = lines.pop()!
      for (const each of lines) if (each.trim() !== '') onLine(each)
    })
    let killing: NodeJS.Timeout | null = null
    const interrupt = (): void => {
      child.kill('SIGINT')
      killing = setTimeout(() => child.kill('SIGKILL'), GRACE_MS)
    }
    if (signal.aborted) interrupt()
    else signal.addEventListener('abort', interrupt, { once: true })
    child.on('error', reject)
    child.on('close', (code) => {
      signal.removeEventListener('abort', interrupt)
      if (killing !== null) clearTimeout(killing)
      resolve({ code, stdout, stderr })
    })
  })
}
