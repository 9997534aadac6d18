/** queue: its concurrency is lowered while it works. */
import { readFile, writeFile } from 'node:fs'
import { promisify } from 'node:util'
import queue from 'queue'
import { race } from 'wavetank/vitest'

race('a queue that was slowed down starts no more than it may', async (t) => {
  await promisify(writeFile)('/tmp/job', 'x')
  const jobs = queue({ concurrency: 3 })
  let active = 0
  const job = (done) => {
    active++
    t.assert(active <= jobs.concurrency, `started ${active} at once, allowed ${jobs.concurrency}`)
    readFile('/tmp/job', () => {
      active--
      done()
    })
  }
  for (let i = 0; i < 8; i++) jobs.push(job)
  const finished = new Promise((resolve) => jobs.start(resolve))
  readFile('/tmp/job', () => (jobs.concurrency = 1))
  await finished
})
