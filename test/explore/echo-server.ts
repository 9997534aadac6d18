import { createServer } from 'node:net'

createServer((socket) => socket.pipe(socket)).listen(7000, () => console.log('listening'))
