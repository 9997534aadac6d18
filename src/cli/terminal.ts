/** The terminal: colours, one line of live progress, and answers that go to the terminal or to a file. */
import { unwritable, writeWhole } from '../failures/whole-file.ts'
import { UsageError } from '../kernel/errors.ts'
import { coloured, type Paint } from '../report/form/paint.ts'

export function paintFor(stream: NodeJS.WriteStream): Paint {
  const { NO_COLOR, FORCE_COLOR } = process.env
  if (NO_COLOR !== undefined && NO_COLOR !== '') return coloured(false)
  return coloured((FORCE_COLOR !== undefined && FORCE_COLOR !== '0') || stream.isTTY)
}

/** Writes an answer to standard output, or to the file that `--output` names. */
export function write(text: string, output: string | undefined): void {
  if (output === undefined) {
    process.stdout.write(text)
    return
  }
  try {
    writeWhole(output, text)
  } catch (error) {
    const message = `${output} cannot be written: ${(error as Error).message}`
    throw new UsageError('ERR_WAVETANK_OUTPUT', message, { cause: error })
  }
}

/** Refuses an `--output` that cannot be written, before the work whose answer it is to take. */
export function checkOutput(output: string | undefined): void {
  if (output === '') throw new UsageError('ERR_WAVETANK_OUTPUT', '--output: expected the name of a file')
  const problem = output === undefined ? null : unwritable(output)
  if (problem !== null)
    throw new UsageError('ERR_WAVETANK_OUTPUT', `--output ${output} cannot be written: ${problem}`)
}

/** How long nothing is said where lines cannot be overwritten; a program that reads them may ask for more of them. */
const SILENCE_MS = Number(process.env.WAVETANK_PROGRESS_MS ?? 10_000)

/** One line that is overwritten. If standard error is not a terminal, a line of its own now and then. */
export class LiveLine {
  private readonly stream = process.stderr
  private readonly live = process.stderr.isTTY && process.env.CI === undefined
  private shownMs = performance.now()

  /** Shows a text: at most every tenth of a second on a terminal, every ten seconds elsewhere. */
  show(text: string): void {
    const nowMs = performance.now()
    if (nowMs - this.shownMs < (this.live ? 100 : SILENCE_MS)) return
    this.shownMs = nowMs
    if (!this.live) this.stream.write(`${text}\n`)
    else this.stream.write(`\r\u001b[2K${text.slice(0, this.stream.columns - 1)}`)
  }

  clear(): void {
    if (this.live) this.stream.write('\r\u001b[2K')
  }
}
