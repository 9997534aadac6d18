/**
 * JetStream as a queue with acknowledgements: a stream of three replicas, under kills and partitions. What was
 * acknowledged to its publisher is delivered. The negative control is a stream in the memory of one server.
 *
 *     npx wavetank real test nats --workload nats --nodes 3 --nemesis kill --time-limit 20
 *
 * The client is NATS's own: `npm install @nats-io/transport-node @nats-io/jetstream`.
 */
import {
  AckPolicy,
  jetstream,
  JetStreamApiError,
  jetstreamManager,
  RetentionPolicy,
  StorageType,
} from '@nats-io/jetstream'
import { connect, type NatsConnection } from '@nats-io/transport-node'
import { simulation } from 'wavetank'
import { atLeastOnce, type QueueClient } from '../rabbitmq/at-least-once.ts'
import { nats, PORT } from './nats.ts'

const STREAM = 'elements'
const CONSUMER = 'takers'
const ANSWER_MS = 2000
/** An element whose acknowledgement is lost comes again after this time. */
const AGAIN_MS = 3000
const EMPTY_MS = 1000
const NOT_FOUND = 404

function connection(host: string): Promise<NatsConnection> {
  return connect({
    servers: `${host}:${PORT}`,
    reconnect: false,
    timeout: ANSWER_MS,
    ignoreClusterUpdates: true,
  })
}

async function open(host: string): Promise<QueueClient> {
  return opened(host, false)
}

/** `mayBeGone`: a stream that is not there any more is an empty one. */
async function opened(host: string, mayBeGone: boolean): Promise<QueueClient> {
  const nc = await connection(host)
  const stream = jetstream(nc, { timeout: ANSWER_MS })
  return {
    close: () => void nc.close().catch(() => {}),
    publish: async (element) => void (await stream.publish(STREAM, String(element))),
    async take() {
      try {
        const consumer = await stream.consumers.get(STREAM, CONSUMER)
        const message = await consumer.next({ expires: EMPTY_MS })
        if (message === null) return null
        message.ack()
        return Number(message.string())
      } catch (error) {
        if (mayBeGone && error instanceof JetStreamApiError && error.status === NOT_FOUND) return null
        throw error
      }
    },
  }
}

function declaring(storage: StorageType, replicas: number): (hosts: readonly string[]) => Promise<void> {
  return async ([host]) => {
    const nc = await connection(host)
    const manager = await jetstreamManager(nc, { timeout: 5000 })
    await manager.streams.add({
      name: STREAM,
      subjects: [STREAM],
      storage,
      num_replicas: replicas,
      retention: RetentionPolicy.Workqueue,
    })
    await manager.consumers.add(STREAM, {
      durable_name: CONSUMER,
      ack_policy: AckPolicy.Explicit,
      ack_wait: AGAIN_MS * 1e6,
    })
    await nc.close()
  }
}

export const replicated = simulation('nats', {
  processes: { nats: { system: nats, count: 3 } },
  workload: atLeastOnce('nats', open, declaring(StorageType.File, 3)),
})

/** After a kill the stream itself is gone. */
export const inMemory = simulation('nats-memory', {
  processes: { nats: { system: nats } },
  workload: atLeastOnce('nats', (host) => opened(host, true), declaring(StorageType.Memory, 1)),
})
