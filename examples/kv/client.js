#!/usr/bin/env node
/**
 * The client: keeps one connection, opens it when it is needed, and gives up on an answer after a second. A request
 * whose connection broke is never sent again: it may have been done.
 *
 *   node client.js HOST:PORT get KEY | put KEY VALUE | delete KEY
 */
import { connect } from 'node:net'
import { createInterface } from 'node:readline'
import { pathToFileURL } from 'node:url'

const ANSWER_MS = 1000

export class KvClient {
  #host
  #port
  #socket = null
  #waiting = new Map()
  #nextId = 1

  constructor(host, port = 7000) {
    this.#host = host
    this.#port = port
  }

  async get(key) {
    return (await this.#request({ op: 'get', key })).value
  }

  async put(key, value) {
    await this.#request({ op: 'put', key, value })
  }

  async delete(key) {
    await this.#request({ op: 'delete', key })
  }

  close() {
    this.#socket?.destroy()
  }

  #request(request) {
    const id = this.#nextId++
    this.#socket ??= this.#open()
    const socket = this.#socket
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => socket.destroy(new Error('no answer within a second')), ANSWER_MS)
      this.#waiting.set(id, { resolve, reject, timer })
      socket.write(`${JSON.stringify({ id, ...request })}\n`)
    })
  }

  #open() {
    const socket = connect(this.#port, this.#host)
    let reason = new Error('connection closed')
    socket.on('error', (error) => (reason = error))
    socket.on('close', () => {
      if (this.#socket === socket) this.#socket = null
      for (const { reject, timer } of this.#waiting.values()) {
        clearTimeout(timer)
        reject(reason)
      }
      this.#waiting.clear()
    })
    const lines = createInterface({ input: socket })
    lines.on('error', () => {}) // readline repeats the socket's
    lines.on('line', (line) => {
      const { id, error, ...answer } = JSON.parse(line)
      const waiting = this.#waiting.get(id)
      if (waiting === undefined) return
      this.#waiting.delete(id)
      clearTimeout(waiting.timer)
      if (error === undefined) waiting.resolve(answer)
      else waiting.reject(new Error(error))
    })
    return socket
  }
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const [address, op, key, value] = process.argv.slice(2)
  const [host, port] = address.split(':')
  const client = new KvClient(host, Number(port))
  const answer =
    op === 'put'
      ? await client.put(key, value)
      : op === 'delete'
        ? await client.delete(key)
        : await client.get(key)
  console.log(answer === undefined ? 'ok' : answer)
  client.close()
}
