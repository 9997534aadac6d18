/** mysql2's own server: every query is answered with one row. */
import mysql from 'mysql2'

let connections = 0
const server = mysql.createServer()
server.on('connection', (connection) => {
  connection.serverHandshake({
    protocolVersion: 10,
    serverVersion: '8.0.0',
    connectionId: ++connections,
    statusFlags: 2,
    characterSet: 8,
    capabilityFlags: 0xffffff,
  })
  connection.on('error', () => {})
  connection.on('query', () => {
    const column = {
      catalog: 'def',
      schema: '',
      table: '',
      orgTable: '',
      name: '1',
      orgName: '',
      characterSet: 33,
      columnLength: 1,
      columnType: 8,
      flags: 129,
      decimals: 0,
    }
    connection.writeTextResult([{ 1: '1' }], [column])
  })
})
server.listen(3306)
server._server.on('listening', () => console.log('listening'))
