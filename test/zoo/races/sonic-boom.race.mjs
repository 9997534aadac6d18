/** sonic-boom: a writer that heeds back-pressure, as with any stream of Node's. */
import { once } from 'node:events'
import SonicBoom from 'sonic-boom'
import { race } from 'wavetank/vitest'

race('a writer that waits for drain goes on', async (t) => {
  const log = new SonicBoom({ dest: '/tmp/log', sync: false, minLength: 32_768 })
  const line = `${'x'.repeat(6_000)}\n`
  const write = async () => {
    for (let i = 0; i < 4; i++) if (!log.write(line)) await once(log, 'drain')
  }
  await Promise.all([t.task('a', write), t.task('b', write)])
  log.end()
  await once(log, 'close')
})
