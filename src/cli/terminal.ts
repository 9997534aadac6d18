/** The terminal: whether to colour, and one line of live progress where somebody is watching. */
import { coloured, type Paint } from '../report/paint.ts'

export function paintFor(stream: NodeJS.WriteStream): Paint {
  const { NO_COLOR, FORCE_COLOR } = process.env
  if (NO_COLOR !== undefined && NO_COLOR !== '') return coloured(false)
  return coloured((FORCE_COLOR !== undefined && FORCE_COLOR !== '0') || stream.isTTY)
}

/** One line, overwritten; nothing at all where standard error is not a terminal. */
export class LiveLine {
  private readonly stream = process.stderr
  private readonly live = process.stderr.isTTY && process.env.CI === undefined
  private shownMs = 0

  /** Shows a text, at most every tenth of a second. */
  show(text: string): void {
    if (!this.live) return
    const nowMs = performance.now()
    if (nowMs - this.shownMs < 100) return
    this.shownMs = nowMs
    this.stream.write(`\r\u001b[2K${text.slice(0, this.stream.columns - 1)}`)
  }

  clear(): void {
    if (this.live) this.stream.write('\r\u001b[2K')
  }
}
