import { once } from 'node:events'
import { createServer } from 'node:http'
import { Agent, Pool, fetch, request } from 'undici'

const server = createServer(async (incoming, outgoing) => {
  let body = ''
  for await (const chunk of incoming) body += chunk
  if (incoming.url === '/slow') return
  outgoing.end(`${incoming.method} ${incoming.url} ${body}`)
}).listen(0)
await once(server, 'listening')
const origin = `http://127.0.0.1:${server.address().port}`
const dispatcher = new Agent({ keepAliveTimeout: 10 })
const { statusCode, body } = await request(`${origin}/a`, { method: 'PUT', body: 'data', dispatcher })
console.log(statusCode, await body.text())
console.log(await (await fetch(`${origin}/b`, { dispatcher })).text())
const pool = new Pool(origin, { connections: 2, pipelining: 2 })
const texts = await Promise.all(
  [1, 2, 3, 4].map(async (i) => (await pool.request({ path: `/${i}`, method: 'GET' })).body.text()),
)
console.log(texts)
await pool.close()
const timedOut = await request(`${origin}/slow`, { headersTimeout: 1500, dispatcher }).catch(
  (error) => error.code,
)
console.log(timedOut)
await dispatcher.destroy()
server.closeAllConnections()
server.close(() => console.log('closed'))
