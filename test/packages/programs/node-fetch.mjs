import fetch from 'node-fetch'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { gzipSync } from 'node:zlib'

const server = createServer((request, response) => {
  response.setHeader('content-encoding', 'gzip')
  response.end(gzipSync(`zipped ${request.url}`))
}).listen(0)
await once(server, 'listening')
const response = await fetch(`http://127.0.0.1:${server.address().port}/z`)
console.log(response.status, await response.text())
console.log(await fetch('http://127.0.0.1:1/').catch((error) => [error.name, error.code]))
server.close(() => console.log('closed'))
