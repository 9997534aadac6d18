import { createTRPCClient, httpBatchLink } from '@trpc/client'
import { initTRPC, TRPCError } from '@trpc/server'
import { createHTTPServer } from '@trpc/server/adapters/standalone'
import { once } from 'node:events'
import { z } from 'zod'

const t = initTRPC.create()
const router = t.router({
  greet: t.procedure.input(z.string()).query(({ input }) => `hello ${input}`),
  add: t.procedure.input(z.tuple([z.number(), z.number()])).mutation(({ input: [a, b] }) => a + b),
  refuse: t.procedure.query(() => {
    throw new TRPCError({ code: 'FORBIDDEN', message: 'no' })
  }),
})
const server = createHTTPServer({ router })
server.listen(0)
await once(server, 'listening')
const client = createTRPCClient({
  links: [httpBatchLink({ url: `http://127.0.0.1:${server.address().port}` })],
})
console.log(await Promise.all([client.greet.query('a'), client.greet.query('b')]))
console.log(await client.add.mutate([2, 3]))
console.log(await client.refuse.query().catch((error) => [error.data.code, error.message]))
server.close(() => console.log('closed'))
