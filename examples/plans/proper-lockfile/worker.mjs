/**
 * A process that takes a lock file again and again and says what it did. It knows nothing of the plan: it sends every
 * event with the machine's monotonic clock, which all processes share.
 *
 *   node worker.mjs FILE OPERATIONS SEED proper|none      (started by drive.mjs, with an IPC channel)
 */
import { setTimeout as sleep } from 'node:timers/promises'

const [file, operations, seed, kind] = process.argv.slice(2)
const lockfile = kind === 'proper' ? (await import('proper-lockfile')).default : null

/** The stale time is the least that the package allows. */
const OPTIONS = { stale: 2000, update: 1000, retries: { retries: 200, minTimeout: 15, maxTimeout: 40 } }

let state = Number(seed) >>> 0
function random(below) {
  state = (Math.imul(state, 1664525) + 1013904223) >>> 0
  return state % below
}

function say(event) {
  process.send({ ...event, time: Number(process.hrtime.bigint() / 1000n) })
}

for (let index = 0; index < Number(operations); index++) {
  say({ type: 'invoke', f: 'acquire' })
  let release = async () => {}
  try {
    if (lockfile !== null) release = await lockfile.lock(file, OPTIONS)
    else await sleep(random(3))
  } catch (error) {
    say({ type: 'fail', f: 'acquire', error: error.code ?? error.message })
    continue
  }
  say({ type: 'ok', f: 'acquire' })
  await sleep(2 + random(6))
  say({ type: 'invoke', f: 'release' })
  try {
    await release()
    say({ type: 'ok', f: 'release' })
  } catch (error) {
    say({ type: 'info', f: 'release', error: error.code ?? error.message })
  }
}
process.disconnect()
