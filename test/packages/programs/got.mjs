import got from 'got'
import { once } from 'node:events'
import { createServer } from 'node:http'

let failures = 2
const server = createServer((request, response) => {
  if (request.url === '/flaky' && failures-- > 0) return void response.writeHead(503).end()
  if (request.url === '/redirect') return void response.writeHead(302, { location: '/there' }).end()
  response.end(`at ${request.url}`)
}).listen(0)
await once(server, 'listening')
const client = got.extend({ prefixUrl: `http://127.0.0.1:${server.address().port}` })
console.log(await client('plain').text())
console.log(await client('redirect').text())
const flaky = await client('flaky', { retry: { limit: 3, backoffLimit: 50 } })
console.log(flaky.body, 'retries', flaky.retryCount)
server.close(() => console.log('closed'))
