// @ts-check
/** Redis' protocol, as much of it as the examples need: a command at a time over one connection. */
import { connect } from 'node:net'

/** @typedef {string | number | null | readonly any[]} Reply */

const ANSWER_MS = 1000

export class RedisConnection {
  #socket
  #received = ''
  /** @type {{ resolve: (reply: Reply) => void, reject: (error: Error) => void }[]} */
  #waiting = []
  /** @type {Error | null} */
  #broken = null

  /** @param {string} host @param {number} port */
  constructor(host, port) {
    this.#socket = connect(port, host)
    this.#socket.setEncoding('utf8')
    this.#socket.on('error', (error) => this.#end(error))
    this.#socket.on('close', () => this.#end(new Error('the connection is closed')))
    this.#socket.on('data', (text) => this.#take(String(text)))
  }

  /**
   * Rejects with an error of Redis, or because nothing came: then it may have been done.
   * @param {(string | number)[]} command
   * @returns {Promise<Reply>}
   */
  send(...command) {
    if (this.#broken !== null) return Promise.reject(this.#broken)
    const parts = command.map((part) => `$${Buffer.byteLength(String(part))}\r\n${part}\r\n`)
    this.#socket.write(`*${command.length}\r\n${parts.join('')}`)
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => this.#end(new Error(`no answer within ${ANSWER_MS} ms`)), ANSWER_MS)
      this.#waiting.push({
        resolve: (reply) => {
          clearTimeout(timer)
          resolve(reply)
        },
        reject: (error) => {
          clearTimeout(timer)
          reject(error)
        },
      })
    })
  }

  get isBroken() {
    return this.#broken !== null
  }

  close() {
    this.#socket.destroy()
  }

  /** @param {Error} error */
  #end(error) {
    this.#broken ??= error
    this.#socket.destroy()
    for (const { reject } of this.#waiting.splice(0)) reject(this.#broken)
  }

  /** @param {string} text */
  #take(text) {
    this.#received += text
    for (;;) {
      const parsed = parse(this.#received, 0)
      if (parsed === null) return
      this.#received = this.#received.slice(parsed.end)
      const waiting = this.#waiting.shift()
      if (parsed.reply instanceof Error) waiting?.reject(parsed.reply)
      else waiting?.resolve(parsed.reply)
    }
  }
}

/**
 * Null: there is more to come. Values are ASCII here, so characters are bytes.
 * @param {string} text @param {number} from
 * @returns {{ reply: Reply | Error, end: number } | null}
 */
function parse(text, from) {
  const line = text.indexOf('\r\n', from)
  if (line < 0) return null
  const head = text.slice(from + 1, line)
  const end = line + 2
  switch (text[from]) {
    case '+':
      return { reply: head, end }
    case '-':
      return { reply: new Error(head), end }
    case ':':
      return { reply: Number(head), end }
    case '$': {
      const length = Number(head)
      if (length < 0) return { reply: null, end }
      return text.length < end + length + 2
        ? null
        : { reply: text.slice(end, end + length), end: end + length + 2 }
    }
    default: {
      /** @type {Reply[]} */
      const replies = []
      let at = end
      for (let index = 0; index < Number(head); index++) {
        const inner = parse(text, at)
        if (inner === null) return null
        if (!(inner.reply instanceof Error)) replies.push(inner.reply)
        at = inner.end
      }
      return { reply: replies, end: at }
    }
  }
}
