/** mysql2: users of a small pool who give their connection back when they are done, and once more in a finally. */
import { setTimeout as sleep } from 'node:timers/promises'
import mysql from 'mysql2/promise'
import { race } from 'wavetank/vitest'

race('no two users share a connection', async (t) => {
  const server = t.process('../servers/mysql.mjs', { name: 'db' })
  while (!server.output.includes('listening')) await sleep(5)
  const pool = mysql.createPool({ host: 'db', user: 'root', connectionLimit: 2 })
  const users = new Map()
  const query = async (name) => {
    const connection = await pool.getConnection()
    const id = connection.threadId
    t.assert(!users.has(id), `${name} was given the connection of ${users.get(id)}`)
    users.set(id, name)
    try {
      const [rows] = await connection.query('SELECT 1')
      users.delete(id)
      connection.release()
      return rows
    } finally {
      connection.release()
    }
  }
  await Promise.all(['a', 'b', 'c', 'd'].map((name) => t.task(name, () => query(name))))
})
