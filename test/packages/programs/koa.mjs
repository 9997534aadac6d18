import Koa from 'koa'
import { once } from 'node:events'

const app = new Koa()
app.use(async (context, next) => {
  const order = ['in']
  await next()
  order.push('out')
  context.set('x-order', order.join())
})
app.use(async (context) => {
  if (context.path === '/teapot') context.throw(418, 'short and stout')
  context.body = { path: context.path, method: context.method }
})
app.silent = true
const server = app.listen(0)
await once(server, 'listening')
for (const path of ['/a', '/teapot']) {
  const response = await fetch(`http://127.0.0.1:${server.address().port}${path}`)
  console.log(response.status, response.headers.get('x-order'), await response.text())
}
server.close(() => console.log('closed'))
