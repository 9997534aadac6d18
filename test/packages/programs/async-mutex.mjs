import { Mutex, Semaphore, withTimeout } from 'async-mutex'
import { setTimeout as sleep } from 'node:timers/promises'

const mutex = new Mutex()
let value = 0
await Promise.all(
  Array.from({ length: 5 }, () =>
    mutex.runExclusive(async () => {
      const before = value
      await sleep(1)
      value = before + 1
    }),
  ),
)
console.log(value)
const semaphore = new Semaphore(2)
const [first] = await semaphore.acquire()
console.log(first, semaphore.isLocked())
const slow = withTimeout(new Mutex(), 10)
await slow.acquire()
console.log(await slow.acquire().catch((error) => error.message))
