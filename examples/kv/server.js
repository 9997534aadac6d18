#!/usr/bin/env node
/**
 * A key-value server over TCP. One JSON object per line each way: `{"id":1,"op":"put","key":"a","value":5}` is answered
 * with `{"id":1,"ok":true}`; `get` with `{"id":2,"value":5}`; a failure with `{"id":3,"error":"…"}`.
 *
 *   node server.js [--port 7000] [--data ./data] [--sync always|background]
 */
import { createServer } from 'node:net'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { parseArgs } from 'node:util'
import { Store } from './store.js'

const { values: options } = parseArgs({
  options: {
    port: { type: 'string', default: '7000' },
    data: { type: 'string', default: './data' },
    sync: { type: 'string', default: 'always' },
  },
})

const store = await Store.open(join(options.data, 'kv.log'), options.sync)

async function answer({ id, op, key, value }) {
  switch (op) {
    case 'get':
      return { id, value: store.get(key) }
    case 'put':
      await store.put(key, value)
      return { id, ok: true }
    case 'delete':
      await store.delete(key)
      return { id, ok: true }
    default:
      return { id, error: `unknown operation ${op}` }
  }
}

const server = createServer((socket) => {
  const lines = createInterface({ input: socket })
  for (const emitter of [socket, lines]) emitter.on('error', () => socket.destroy())
  lines.on('line', async (line) => {
    const request = JSON.parse(line)
    const reply = await answer(request).catch((error) => ({ id: request.id, error: error.message }))
    if (socket.writable) socket.write(`${JSON.stringify(reply)}\n`)
  })
})

server.listen(Number(options.port), () => console.log(`listening on ${options.port} with ${store.size} keys`))

process.on('SIGTERM', () => {
  server.close()
  process.exit(0)
})
