import compression from 'compression'
import express from 'express'
import { once } from 'node:events'
import http from 'node:http'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'

const app = express().use(compression({ threshold: 10 }))
app.get('/', (request, response) => response.send('compress me '.repeat(1000)))
const server = app.listen(0)
await once(server, 'listening')
for (const [encoding, inflate] of [
  ['gzip', gunzipSync],
  ['br', brotliDecompressSync],
  ['identity', (x) => x],
]) {
  const [response] = await once(
    http.get({ port: server.address().port, headers: { 'accept-encoding': encoding } }),
    'response',
  )
  const chunks = await response.toArray()
  console.log(response.headers['content-encoding'], inflate(Buffer.concat(chunks)).length)
}
server.close(() => console.log('closed'))
