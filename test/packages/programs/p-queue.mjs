import { setTimeout as sleep } from 'node:timers/promises'
import PQueue from 'p-queue'

const queue = new PQueue({ concurrency: 2, interval: 100, intervalCap: 3 })
const order = []
for (let i = 0; i < 6; i++) {
  queue.add(
    async () => {
      order.push(`start ${i}`)
      await sleep(10 * (i % 3))
      order.push(`end ${i}`)
    },
    { priority: i === 5 ? 1 : 0 },
  )
}
await queue.onIdle()
console.log(order)
console.log(
  await queue.add(() => sleep(1000), { timeout: 20, throwOnTimeout: true }).catch((error) => error.name),
)
