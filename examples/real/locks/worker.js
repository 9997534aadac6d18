// @ts-check
/**
 * A worker that counts under a lock: `POST /` takes the lock, reads the counter, thinks for a moment, writes one more,
 * gives the lock back, and answers with what it wrote. If the lock excludes, no two answers are the same.
 *
 * LOCK is `etcd`, `etcd-fenced` or `redlock`; SERVERS are the names of the servers.
 */
import { createServer } from 'node:http'
import { EtcdLock } from './etcd-lock.js'
import { Redlock } from './redlock.js'

const PORT = 8000
const THINK_MS = 150

const { LOCK = '', SERVERS = '' } = process.env
const servers = SERVERS.split(',')
const lock =
  LOCK === 'redlock' ? new Redlock(servers) : new EtcdLock(servers, { fenced: LOCK === 'etcd-fenced' })

createServer(async (_, response) => {
  try {
    const held = await lock.acquire()
    try {
      const count = await held.read()
      await new Promise((resolve) => setTimeout(resolve, THINK_MS))
      if (await held.write(count + 1)) response.end(String(count + 1))
      else response.writeHead(409).end('the lock was lost: nothing was written')
    } finally {
      await held.release()
    }
  } catch (error) {
    if (!response.headersSent) response.writeHead(503)
    response.end(String(error))
  }
}).listen(PORT)
