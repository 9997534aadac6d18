/** Small projects that several cases share: a key-value service, right and with a planted bug, and what goes with it. */

/** A server whose POST, PUT, GET and DELETE fit the clients that `wavetank scaffold` writes. */
export const SERVER = `import { createServer } from 'node:http'
const values = new Map()
createServer(async (request, response) => {
  let body = ''
  for await (const chunk of request) body += chunk
  if (request.method === 'PUT') values.set(request.url, body)
  else if (!values.has(request.url)) return response.writeHead(404).end()
  response.end(values.get(request.url))
}).listen(8080)
`

/** It forgets every fourth write. */
export const FORGETFUL_SERVER = SERVER.replace(
  "if (request.method === 'PUT') values.set(request.url, body)",
  "if (request.method === 'PUT') (writes++ % 4 === 3 ? null : values.set(request.url, body))",
).replace('const values', 'let writes = 0\nconst values')

export const SIMULATION = `import { simulation } from 'wavetank'
import { register } from 'wavetank/workloads'
const limit = () => ({ signal: AbortSignal.timeout(1000) })
export default simulation('shop', {
  processes: { shop: { entry: './server.js' } },
  workload: register({
    connect: ({ hosts }) => 'http://' + hosts.shop[0] + ':8080/',
    read: async (url, key) => {
      const answer = await fetch(url + key, limit())
      return answer.status === 404 ? null : answer.json()
    },
    write: async (url, key, value) => void (await fetch(url + key, { method: 'PUT', body: String(value), ...limit() })),
  }),
})
`

/** A simulation that checks nothing. */
export const IDLE_SIMULATION = `import { simulation } from 'wavetank'
export default simulation('shop', {
  processes: { shop: { entry: './server.js' } },
  workload: { run: ({ operation, hosts }) => operation('get', async () => (await fetch('http://' + hosts.shop[0] + ':8080/a')).status) },
})
`

/** A race test whose counter loses an addition. */
export const LOSING_RACE = `import { readFile, writeFile } from 'node:fs/promises'
import { race } from 'wavetank/node-test'
race('two visits are both counted', async (t) => {
  await writeFile('/tmp/count', '0')
  const visit = async () => writeFile('/tmp/count', String(Number(await readFile('/tmp/count', 'utf8')) + 1))
  await Promise.all([visit(), visit()])
  t.assert((await readFile('/tmp/count', 'utf8')) === '2', 'a visit was lost')
})
`

/** A log that answers before it syncs. */
export const EARLY_ANSWER = `import { appendFile } from 'node:fs/promises'
export async function put(request, res) {
  await appendFile('log', request.body)
  res.end('ok')
}
`

export const ECHO = `import { createNode } from 'wavetank/maelstrom'
createNode().on('echo', ({ body }) => ({ type: 'echo_ok', echo: body.echo }))
`

/** It answers something else than it was sent. */
export const WRONG_ECHO = ECHO.replace('echo: body.echo', "echo: 'hello'")

/** Two reads that contradict each other. */
export const STALE_HISTORY = [
  '{"process":0,"type":"invoke","f":"write","value":1}',
  '{"process":0,"type":"ok","f":"write","value":1}',
  '{"process":0,"type":"invoke","f":"write","value":2}',
  '{"process":0,"type":"ok","f":"write","value":2}',
  '{"process":1,"type":"invoke","f":"read","value":null}',
  '{"process":1,"type":"ok","f":"read","value":1}',
].join('\n')
