import { serve } from '@hono/node-server'
import { Hono } from 'hono'
import { streamText } from 'hono/streaming'

const app = new Hono()
app.get('/', (c) => c.text('root'))
app.get('/users/:id', (c) => c.json({ id: c.req.param('id') }))
app.get('/stream', (c) =>
  streamText(c, async (stream) => {
    for (let i = 0; i < 3; i++) {
      await stream.write(`part ${i};`)
      await stream.sleep(20)
    }
  }),
)
app.onError((error, c) => c.text(error.message, 500))
app.get('/boom', () => {
  throw new Error('boom')
})
const server = serve({ fetch: app.fetch, port: 0 }, async ({ port }) => {
  for (const path of ['/', '/users/5', '/stream', '/boom', '/none']) {
    const response = await fetch(`http://127.0.0.1:${port}${path}`)
    console.log(response.status, await response.text())
  }
  server.close(() => console.log('closed'))
})
