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
    let from = 0
    for (let end = this.rest.indexOf('\n'); end >= 0; end = this.rest.indexOf('\n', from)) {
      this.line(this.rest.slice(from, end))
      from = end + 1
    }
    if (from > 0) this.rest = this.rest.slice(from)
  }

  /** The process is gone: what it left without a newline is a line too. */
  end(): void {
    const { rest } = this
    this.rest = ''
    if (rest !== '') this.line(rest)
  }
}
