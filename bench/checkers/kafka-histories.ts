/**
 * Seeded histories of logs like Kafka's: half of the operations send one message, the others poll what is new to their
 * client, over all keys. Each operation takes effect at once, so the history is right; at the end each client polls all
 * that it has not seen.
 */
import type { HistoryEvent } from '../../src/history/index.ts'
import { generator } from './register-histories.ts'

export interface KafkaHistoryOptions {
  readonly seed: number
  readonly operations: number
  readonly clients: number
  readonly keys: number
}

type Pairs = [offset: number, value: number][]

export function* kafkaEvents({
  seed,
  operations,
  clients,
  keys,
}: KafkaHistoryOptions): Generator<HistoryEvent> {
  const random = generator(seed)
  const logs: number[][] = Array.from({ length: keys }, () => [])
  const position = Array.from({ length: clients }, () => new Int32Array(keys))
  let fresh = 0
  const poll = (process: number): unknown => {
    const seen: Record<string, Pairs> = {}
    logs.forEach((log, key) => {
      const from = position[process][key]
      if (from === log.length) return
      seen[key] = log.slice(from).map((value, i): [number, number] => [from + i, value])
      position[process][key] = log.length
    })
    return [['poll', seen]]
  }
  for (let i = 0; i < operations; i++) {
    const process = i % clients
    const key = Math.floor(random() * keys)
    const sends = random() < 0.5 && i < operations - clients
    const f = sends ? 'send' : 'poll'
    const value = fresh
    yield { type: 'invoke', process, f, value: sends ? [['send', key, value]] : [['poll']] }
    if (sends) {
      fresh++
      const offset = logs[key].push(value) - 1
      yield { type: 'ok', process, f, value: [['send', key, [offset, value]]] }
    } else yield { type: 'ok', process, f, value: poll(process) }
  }
}
