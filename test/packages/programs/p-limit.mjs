import pLimit from 'p-limit'
import { setTimeout as sleep } from 'node:timers/promises'

const limit = pLimit(2)
let active = 0
let most = 0
const results = await Promise.all(
  [30, 10, 20, 5].map((ms) =>
    limit(async () => {
      most = Math.max(most, ++active)
      await sleep(ms)
      active--
      return ms
    }),
  ),
)
console.log(results, most, limit.pendingCount)
