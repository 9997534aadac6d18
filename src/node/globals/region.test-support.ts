/** Run as a program: a worker thread of this file prints what a simulated process sees of its region. */
import { isMainThread, Worker } from 'node:worker_threads'
import { runOne } from '../process/programs.test-support.ts'

if (isMainThread) {
  const thread = new Worker(new URL(import.meta.url), { execArgv: process.execArgv })
  thread.on('error', (error) => {
    throw error
  })
} else {
  const { stdout, stderr } = await runOne(({ process, globalThis: { Date, Intl } }) => {
    const date = new Date(2024, 5, 1, 12)
    process.stdout.write(
      [
        date.toISOString(),
        date,
        date.toLocaleString(),
        (1234.5).toLocaleString(),
        Intl.DateTimeFormat().resolvedOptions().timeZone,
        Intl.NumberFormat().resolvedOptions().locale,
        new Intl.Collator().resolvedOptions().locale,
      ].join('\n'),
    )
  })
  process.stdout.write(stdout + stderr)
}
