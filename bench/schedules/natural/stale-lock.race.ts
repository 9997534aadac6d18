/** A lock is a folder; one that is too old is taken away, by everybody who finds it so. */
import { mkdir, readFile, rename, rmdir, stat, writeFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import type { RaceContext } from 'wavetank/explore'
import { race } from 'wavetank/vitest'

const LOCK = '/tmp/lock'
const STALE_MS = 60_000

async function lock(name: string, mended: boolean): Promise<void> {
  for (;;) {
    const made = await mkdir(LOCK).then(
      () => true,
      () => false,
    )
    if (made) return
    const age = await stat(LOCK).then(
      ({ mtimeMs }) => Date.now() - mtimeMs,
      () => 0,
    )
    if (age <= STALE_MS) await sleep(100)
    else if (!mended) await rmdir(LOCK).catch(() => {})
    else if (!(await breakLock(name))) await sleep(100)
  }
}

/** Only one can move the stale lock's guard away, and it looks again before it does more. */
async function breakLock(name: string): Promise<boolean> {
  const guard = `${LOCK}.guard`
  const isOurs = await rename(guard, `${guard}.${name}`).then(
    () => true,
    () => false,
  )
  if (!isOurs) return false
  const { mtimeMs } = await stat(LOCK).catch(() => ({ mtimeMs: Date.now() }))
  if (Date.now() - mtimeMs > STALE_MS) await rmdir(LOCK).catch(() => {})
  await rename(`${guard}.${name}`, guard)
  return true
}

async function run(t: RaceContext, mended: boolean): Promise<void> {
  await writeFile('/tmp/data', '0')
  await writeFile(`${LOCK}.guard`, '')
  await mkdir(LOCK)
  await sleep(STALE_MS + 5_000)
  let holders = 0
  const work = async (name: string): Promise<void> => {
    await lock(name, mended)
    t.assert(++holders === 1, `${name} entered while another was inside`)
    await readFile('/tmp/data')
    holders--
    await rmdir(LOCK).catch(() => {})
  }
  await Promise.all(['a', 'b', 'c'].map((name) => t.task(name, () => work(name))))
}

race('broken', (t) => run(t, false))
race('mended', (t) => run(t, true))
