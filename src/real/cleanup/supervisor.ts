/**
 * A process of its own beside every real run: `node supervisor.js MANIFEST`. It waits at a pipe from the run. When the
 * pipe ends, the run has ended, however it did, and whatever its manifest still names is taken away.
 */
import { cleanUp } from './cleaning.ts'

const [, , manifest] = process.argv
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {}) // the run gets them too
process.stdin.on('error', () => {})
process.stdin.on('close', () => {
  for (const left of cleanUp(manifest)) process.stderr.write(`wavetank real: ${left}\n`)
})
process.stdin.resume()
