/** A client retries with a key that makes requests idempotent; the server notes the key when it is done, not before. */
import { once } from 'node:events'
import { appendFile, readFile, writeFile } from 'node:fs/promises'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { RaceContext } from 'wavetank/explore'
import { race } from 'wavetank/vitest'

function post(port: number, key: string, timeoutMs: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const sent = request({ port, method: 'POST', headers: { 'idempotency-key': key } }, (response) => {
      response.resume()
      resolve(response.statusCode ?? 0)
    })
    sent.setTimeout(timeoutMs, () => sent.destroy(new Error('time-out')))
    sent.on('error', reject)
    sent.end()
  })
}

async function run(t: RaceContext, reserve: boolean): Promise<void> {
  await writeFile('/tmp/ledger', '')
  const done = new Map<string, Promise<void>>()
  const finished = new Set<string>()
  const server = createServer(async (incoming, response) => {
    const key = String(incoming.headers['idempotency-key'])
    if (reserve) {
      if (!done.has(key)) done.set(key, appendFile('/tmp/ledger', `${key}\n`))
      await done.get(key)
    } else if (!finished.has(key)) {
      await appendFile('/tmp/ledger', `${key}\n`)
      finished.add(key)
    }
    response.end()
  }).listen(0)
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const pay = async (key: string): Promise<void> => {
    for (let attempt = 0; attempt < 4; attempt++) {
      const status = await post(port, key, 300).catch(() => 0)
      if (status === 200) return
      await sleep(50 * 2 ** attempt)
    }
  }
  await Promise.all(['a', 'b'].map((name) => t.task(name, () => pay(name))))
  const lines = (await readFile('/tmp/ledger', 'utf8')).trim().split('\n')
  t.assert(new Set(lines).size === lines.length, `paid twice: ${lines.join(', ')}`)
}

race('broken', (t) => run(t, false))
race('mended', (t) => run(t, true))
