import Fastify from 'fastify'

const app = Fastify({ logger: false })
app.addHook('onRequest', async (request) => void (request.seen = true))
app.get(
  '/item/:id',
  { schema: { params: { type: 'object', properties: { id: { type: 'integer' } } } } },
  async (request) => ({
    id: request.params.id,
    seen: request.seen,
  }),
)
app.post('/echo', async (request) => request.body)
await app.listen({ port: 0, host: '127.0.0.1' })
const base = `http://127.0.0.1:${app.server.address().port}`
for (const path of ['/item/7', '/item/x', '/nothing']) {
  const response = await fetch(base + path)
  console.log(response.status, await response.text())
}
const echoed = await fetch(`${base}/echo`, {
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: '{"a":[1]}',
})
console.log(await echoed.json())
console.log((await app.inject('/item/9')).json())
await app.close()
console.log('closed')
