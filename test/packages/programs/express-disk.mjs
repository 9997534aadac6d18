import express from 'express'
import { once } from 'node:events'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const folder = join(tmpdir(), `express-disk-${process.pid}`)
await mkdir(folder)
const app = express()
app.use(express.text())
app.put('/:name', async (request, response) => {
  await writeFile(join(folder, request.params.name), request.body)
  response.sendStatus(201)
})
app.get('/:name', async (request, response) => {
  response.send(await readFile(join(folder, request.params.name), 'utf8'))
})
app.use('/files', express.static(folder))
app.use((error, request, response, _next) => response.status(404).send(error.code))

const server = app.listen(0)
await once(server, 'listening')
const base = `http://127.0.0.1:${server.address().port}`
const headers = { 'content-type': 'text/plain' }
console.log((await fetch(`${base}/note`, { method: 'PUT', headers, body: 'remember' })).status)
console.log(await (await fetch(`${base}/note`)).text())
console.log(await (await fetch(`${base}/nothing`)).text())
const file = await fetch(`${base}/files/note`)
console.log(file.status, file.headers.get('content-length'), await file.text())
server.close(() => console.log('closed'))
