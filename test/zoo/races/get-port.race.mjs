/** get-port: two servers of one program look for a port of their own, preferably the usual one. */
import { readFile } from 'node:fs/promises'
import getPort from 'get-port'
import { race } from 'wavetank/vitest'

race('two servers get two ports', async (t) => {
  const find = async () => {
    await readFile('/etc/hosts')
    return getPort({ port: getPort.makeRange(3000, 3005) })
  }
  const [a, b] = await Promise.all([t.task('a', find), t.task('b', find)])
  t.assert(a !== b, `both got ${a}`)
})
