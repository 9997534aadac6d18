import { PGlite } from '@electric-sql/pglite'
import { PGLiteSocketServer } from '@electric-sql/pglite-socket'
import pg from 'pg'

const db = await PGlite.create()
const server = new PGLiteSocketServer({ db, host: '127.0.0.1', port: 5433 })
await server.start()
const client = new pg.Client({ host: '127.0.0.1', port: 5433, user: 'postgres', database: 'postgres' })
await client.connect()
await client.query('create table accounts (id int primary key, balance int check (balance >= 0))')
await client.query('insert into accounts values ($1, $2), ($3, $4)', [1, 100, 2, 50])
await client.query('begin')
await client.query('update accounts set balance = balance - 30 where id = 1')
await client.query('update accounts set balance = balance + 30 where id = 2')
await client.query('commit')
console.log((await client.query('select * from accounts order by id')).rows)
console.log(
  await client.query('update accounts set balance = -1').catch((error) => [error.code, error.constraint]),
)
await client.end()
await server.stop()
await db.close()
console.log('closed')
