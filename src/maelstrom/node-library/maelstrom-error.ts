/** An error of the protocol: thrown by a handler it becomes the reply; a request that is answered by one throws it. */
import { errorCode } from '../protocol/error-codes.ts'

export class MaelstromError extends Error {
  override readonly name = 'MaelstromError'
  readonly code: number
  constructor(code: number, text: string) {
    super(text)
    this.code = code
  }

  /** True: what was asked did not happen and never will. */
  get definite(): boolean {
    return errorCode(this.code).definite
  }
}
