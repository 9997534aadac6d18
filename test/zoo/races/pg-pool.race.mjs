/** pg-pool: a query with a deadline; both the answer and the deadline give the client back, as one easily writes it. */
import { EventEmitter } from 'node:events'
import { readFile, writeFile } from 'node:fs'
import { promisify } from 'node:util'
import Pool from 'pg-pool'
import { race } from 'wavetank/vitest'

class Client extends EventEmitter {
  connect(done) {
    readFile('/tmp/table', done)
  }
  query(_, done) {
    readFile('/tmp/table', done)
  }
  end(done) {
    done?.()
  }
}

race('no two users share a client', async (t) => {
  await promisify(writeFile)('/tmp/table', '1')
  const pool = new Pool({ Client, max: 2 })
  const users = new Map()
  const query = (name) =>
    new Promise((resolve, reject) => {
      pool.connect((error, client, release) => {
        if (error) return reject(error)
        t.assert(!users.has(client), `${name} was given the client of ${users.get(client)}`)
        users.set(client, name)
        const end = () => {
          if (users.get(client) === name) users.delete(client)
          try {
            release()
          } catch (error) {
            if (!/already been released/.test(error.message)) throw error
          }
          resolve()
        }
        setTimeout(end, 10)
        client.query('SELECT 1', end)
      })
    })
  await Promise.all(['a', 'b', 'c', 'd'].map((name) => t.task(name, () => query(name))))
})
