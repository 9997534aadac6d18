/**
 * A durable queue with publisher confirms, under kills: what was confirmed is delivered. The negative control sends
 * transient messages: RabbitMQ confirms those as well, and has forgotten them after a kill.
 *
 *     npx wavetank real test rabbitmq --workload rabbitmq --nemesis kill --time-limit 20
 *
 * The client is `amqplib`: `npm install amqplib`.
 */
import { connect, type ConfirmChannel } from 'amqplib'
import { simulation } from 'wavetank'
import { atLeastOnce, type QueueClient } from './at-least-once.ts'
import { PORT, rabbitmq } from './rabbitmq.ts'

const QUEUE = 'elements'

async function channelOf(host: string): Promise<{ channel: ConfirmChannel; close: () => void }> {
  const connection = await connect({ hostname: host, port: PORT, heartbeat: 5 })
  connection.on('error', () => {}) // the operation that waits hears of it
  const channel = await connection.createConfirmChannel()
  channel.on('error', () => {})
  return { channel, close: () => void connection.close().catch(() => {}) }
}

function opening({ persistent }: { persistent: boolean }): (host: string) => Promise<QueueClient> {
  return async (host) => {
    const { channel, close } = await channelOf(host)
    return {
      close,
      async publish(element) {
        channel.sendToQueue(QUEUE, Buffer.from(String(element)), { persistent })
        await channel.waitForConfirms()
      },
      async take() {
        const message = await channel.get(QUEUE)
        if (message === false) return null
        channel.ack(message)
        return Number(message.content.toString())
      },
    }
  }
}

async function declare([host]: readonly string[]): Promise<void> {
  const { channel, close } = await channelOf(host)
  await channel.assertQueue(QUEUE, { durable: true })
  close()
}

const processes = { rabbitmq: { system: rabbitmq } }

export const durable = simulation('rabbitmq', {
  processes,
  workload: atLeastOnce('rabbitmq', opening({ persistent: true }), declare),
})

export const transient = simulation('rabbitmq-transient', {
  processes,
  workload: atLeastOnce('rabbitmq', opening({ persistent: false }), declare),
})
