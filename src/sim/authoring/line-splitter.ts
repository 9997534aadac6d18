/** Splits a process's output into lines as it comes, whatever the chunks. */
import { Buffer } from 'node:buffer'
import { StringDecoder } from 'node:string_decoder'

export class LineSplitter {
  private readonly decoder = new StringDecoder('utf8')
  private readonly line: (text: string) => void
  private rest = ''

  constructor(line: (text: string) => void) {
    this.line = line
  }

  write(bytes: Uint8Array): void {
    this.rest += this.decoder.write(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength))
    for (let end = this.rest.indexOf('\n'); end >= 0; end = this.rest.indexOf('\n')) {
      const text = this.rest.slice(0, end)
      this.rest = this.rest.slice(end + 1) // before the call: it may throw, and the line must not come again
      this.line(text)
    }
  }

  /** The process is gone: what it left without a newline is a line too. */
  end(): void {
    const { rest } = this
    this.rest = ''
    if (rest !== '') this.line(rest)
  }
}
