import axios from 'axios'
import { once } from 'node:events'
import { createServer } from 'node:http'

const server = createServer((request, response) => {
  if (request.url === '/fail') response.statusCode = 503
  if (request.url === '/hang') return
  response.setHeader('content-type', 'application/json')
  response.end(JSON.stringify({ url: request.url, accept: request.headers.accept }))
}).listen(0)
await once(server, 'listening')
const client = axios.create({ baseURL: `http://127.0.0.1:${server.address().port}` })
client.interceptors.response.use((response) => ({ ...response, data: { ...response.data, seen: true } }))
console.log((await client.get('/x', { params: { a: 1 } })).data)
console.log(await client.get('/fail').catch((error) => [error.response.status, error.code]))
console.log(await client.get('/hang', { timeout: 200 }).catch((error) => [error.code, error.message]))
const controller = new AbortController()
setTimeout(() => controller.abort(), 50)
console.log(await client.get('/hang', { signal: controller.signal }).catch((error) => error.code))
server.closeAllConnections()
server.close(() => console.log('closed'))
