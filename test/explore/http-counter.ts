/** Started by race.test.ts as a process: counts requests, each of which takes a moment. */
import { createServer } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'

let count = 0

async function answer(): Promise<number> {
  await sleep(1)
  return ++count
}

createServer((_, response) => void answer().then((n) => response.end(String(n)))).listen(8080, () =>
  console.log('listening'),
)
