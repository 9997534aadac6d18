import express from 'express'
import http from 'node:http'
import { once } from 'node:events'

const app = express()
app.use(express.json())
app.get('/hello/:name', (request, response) =>
  response.json({ hello: request.params.name, query: request.query }),
)
app.post('/sum', (request, response) => response.send(String(request.body.reduce((a, b) => a + b, 0))))
app.get('/boom', () => {
  throw new Error('boom')
})
app.use((error, request, response, _next) => response.status(500).send(`caught ${error.message}`))

const server = app.listen(0)
await once(server, 'listening')
const base = `http://127.0.0.1:${server.address().port}`
const show = async (path, options) => {
  const response = await fetch(base + path, options)
  console.log(response.status, response.headers.get('content-type'), await response.text())
}
await show('/hello/world?a=1')
await show('/sum', { method: 'POST', headers: { 'content-type': 'application/json' }, body: '[1,2,3]' })
await show('/boom')
await show('/nowhere')
const agent = new http.Agent({ keepAlive: true })
for (let i = 0; i < 3; i++) {
  const [response] = await once(http.get(`${base}/hello/${i}`, { agent }), 'response')
  let body = ''
  for await (const chunk of response) body += chunk
  console.log(i, body)
}
agent.destroy()
server.close(() => console.log('closed'))
