import mysql from 'mysql2'
import { once } from 'node:events'

const server = mysql.createServer()
server.on('connection', (connection) => {
  connection.serverHandshake({
    protocolVersion: 10,
    serverVersion: 'tank',
    connectionId: 1,
    statusFlags: 2,
    characterSet: 8,
    capabilityFlags: 0xffffff ^ 2048,
    authCallback: (_client, accept) => {
      accept(null)
      connection.sequenceId = 0
    },
  })
  connection.on('quit', () => connection.close())
  connection.on('query', (sql) => {
    connection.sequenceId = 1
    if (sql.startsWith('select')) {
      connection.writeTextResult(
        [{ n: '1', text: 'one' }],
        [
          {
            catalog: 'def',
            schema: 't',
            table: 't',
            orgTable: 't',
            name: 'n',
            orgName: 'n',
            characterSet: 63,
            columnLength: 11,
            columnType: 3,
            flags: 0,
            decimals: 0,
          },
          {
            catalog: 'def',
            schema: 't',
            table: 't',
            orgTable: 't',
            name: 'text',
            orgName: 'text',
            characterSet: 8,
            columnLength: 100,
            columnType: 253,
            flags: 0,
            decimals: 0,
          },
        ],
      )
    } else connection.writeError({ code: 1064, message: `cannot ${sql}` })
    connection.sequenceId = 0
  })
})
server.listen(0)
await once(server._server, 'listening')
const client = mysql
  .createConnection({ host: '127.0.0.1', port: server._server.address().port, user: 'u' })
  .promise()
const [rows] = await client.query('select 1')
console.log(rows)
console.log(await client.query('drop').catch((error) => [error.code, error.message]))
await client.end()
server.close(() => console.log('closed'))
