import grpc from '@grpc/grpc-js'
import protoLoader from '@grpc/proto-loader'
import { fileURLToPath } from 'node:url'

const definition = protoLoader.loadSync(fileURLToPath(new URL('../support/greeter.proto', import.meta.url)))
const { Greeter } = grpc.loadPackageDefinition(definition).tank
const server = new grpc.Server()
server.addService(Greeter.service, {
  greet: ({ request }, reply) =>
    request.name === ''
      ? reply({ code: grpc.status.INVALID_ARGUMENT, details: 'no name' })
      : reply(null, { text: `hello ${request.name}` }),
  count: (call) => {
    for (let i = 1; i <= call.request.upTo; i++) call.write({ value: i })
    call.end()
  },
})
const port = await new Promise((resolve, reject) =>
  server.bindAsync('127.0.0.1:0', grpc.ServerCredentials.createInsecure(), (error, bound) =>
    error ? reject(error) : resolve(bound),
  ),
)
const client = new Greeter(`127.0.0.1:${port}`, grpc.credentials.createInsecure())
const greet = (name) =>
  new Promise((resolve) => client.greet({ name }, (error, answer) => resolve(error?.details ?? answer.text)))
console.log(await greet('grpc'), await greet(''))
const values = []
for await (const { value } of client.count({ upTo: 3 })) values.push(value)
console.log(values)
client.close()
server.tryShutdown(() => console.log('closed'))
