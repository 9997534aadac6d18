/** GraphQL Yoga: queries, mutations, and subscriptions as server-sent events. */
import { createServer } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { createPubSub, createSchema, createYoga } from 'graphql-yoga'

const bus = createPubSub()
const schema = createSchema({
  typeDefs: `
    type Query { hello(name: String!): String! }
    type Mutation { post(text: String!): Int! }
    type Subscription { posts: String! count(to: Int!): Int! }`,
  resolvers: {
    Query: { hello: (_, { name }) => `hi ${name}` },
    Mutation: {
      post(_, { text }) {
        bus.publish('posts', text)
        return text.length
      },
    },
    Subscription: {
      posts: { subscribe: () => bus.subscribe('posts'), resolve: (text) => text },
      count: {
        async *subscribe(_, { to }) {
          for (let count = 0; count < to; count++) {
            await sleep(20)
            yield { count }
          }
        },
      },
    },
  },
})
const server = createServer(createYoga({ schema, logging: false }))
await new Promise((resolve) => server.listen(4000, '127.0.0.1', resolve))
const ask = (query, accept = 'application/json') =>
  fetch('http://127.0.0.1:4000/graphql', {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept },
    body: JSON.stringify({ query }),
  })
console.log(await (await ask('{ hello(name: "you") }')).text())
console.log(await (await ask('{ nothing }')).text())
console.log(await (await ask('subscription { count(to: 3) }', 'text/event-stream')).text())

const posts = await ask('subscription { posts }', 'text/event-stream')
setTimeout(async () => console.log(await (await ask('mutation { post(text: "news") }')).text()), 50)
const decoder = new TextDecoder()
let text = ''
for await (const chunk of posts.body) {
  text += decoder.decode(chunk)
  if (text.includes('news')) break
}
console.log(text.includes('{"data":{"posts":"news"}}'))
server.closeAllConnections()
server.close(() => console.log('closed'))
