/** fastq: a queue of two workers that somebody pauses and resumes while it works. */
import { readFile, writeFile } from 'node:fs/promises'
import fastq from 'fastq'
import { race } from 'wavetank/vitest'

race('a queue never runs more than its concurrency', async (t) => {
  await writeFile('/tmp/job', 'x')
  let active = 0
  const work = async () => {
    t.assert(++active <= 2, `${active} jobs at once`)
    await readFile('/tmp/job')
    active--
  }
  const queue = fastq.promise(work, 2)
  const jobs = [1, 2, 3, 4, 5].map((n) => queue.push(n))
  const operator = t.task('operator', async () => {
    queue.pause()
    await readFile('/tmp/job')
    queue.resume()
  })
  await Promise.all([...jobs, operator])
})
