import busboy from 'busboy'
import express from 'express'
import multer from 'multer'
import { once } from 'node:events'
import { createServer } from 'node:http'

const form = () => {
  const data = new FormData()
  data.set('name', 'value')
  data.set('file', new Blob(['file contents']), 'a.txt')
  return data
}
const app = express()
app.post('/', multer({ storage: multer.memoryStorage() }).single('file'), (request, response) => {
  response.json({ body: request.body, file: request.file.originalname, size: request.file.size })
})
const server = app.listen(0)
await once(server, 'listening')
console.log(
  await (await fetch(`http://127.0.0.1:${server.address().port}/`, { method: 'POST', body: form() })).json(),
)
server.close()
const plain = createServer((request, response) => {
  const seen = []
  request.pipe(
    busboy({ headers: request.headers })
      .on('field', (name, value) => seen.push([name, value]))
      .on('file', (name, stream, { filename }) =>
        stream.on('data', (chunk) => seen.push([name, filename, String(chunk)])),
      )
      .on('close', () => response.end(JSON.stringify(seen))),
  )
}).listen(0)
await once(plain, 'listening')
console.log(
  await (await fetch(`http://127.0.0.1:${plain.address().port}/`, { method: 'POST', body: form() })).json(),
)
plain.close(() => console.log('closed'))
