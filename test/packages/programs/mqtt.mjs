import { Aedes } from 'aedes'
import mqtt from 'mqtt'
import { once } from 'node:events'
import { createServer } from 'node:net'

const broker = await Aedes.createBroker()
const server = createServer(broker.handle).listen(0)
await once(server, 'listening')
const url = `mqtt://127.0.0.1:${server.address().port}`
const subscriber = await mqtt.connectAsync(url, { clientId: 'subscriber' })
const publisher = await mqtt.connectAsync(url, { clientId: 'publisher' })
await subscriber.subscribeAsync('sensors/+', { qos: 1 })
subscriber.on('message', (topic, payload) => console.log(topic, String(payload)))
for (let i = 0; i < 3; i++) await publisher.publishAsync(`sensors/${i}`, `value ${i}`, { qos: 1 })
await publisher.publishAsync('sensors/kept', 'retained', { qos: 1, retain: true })
const late = await mqtt.connectAsync(url, { clientId: 'late' })
const retained = once(late, 'message')
await late.subscribeAsync('sensors/kept')
console.log('retained', String((await retained)[1]))
await Promise.all([subscriber.endAsync(), publisher.endAsync(), late.endAsync()])
broker.close(() => server.close(() => console.log('closed')))
