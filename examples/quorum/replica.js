#!/usr/bin/env node
/**
 * A replica of a register: keeps the value with the greatest stamp it was given, and says so when the disk has it.
 *
 *   GET /            → {"stamp":[3,1],"value":7}
 *   PUT / (the same) → 204 once this or something newer is on the disk
 *
 *   node replica.js [--port 7100] [--data ./data]
 */
import { mkdir, open, readFile, rename } from 'node:fs/promises'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { parseArgs } from 'node:util'
import { isNewer, NOTHING } from './stamp.js'

const { values: options } = parseArgs({
  options: { port: { type: 'string', default: '7100' }, data: { type: 'string', default: './data' } },
})
const file = join(options.data, 'register.json')

await mkdir(options.data, { recursive: true })
let held = await readFile(file, 'utf8').then(JSON.parse, (error) => {
  if (error.code === 'ENOENT') return NOTHING
  throw error // a replica that cannot read its disk must not forget what it has promised
})
/** The last write, so that writes happen one after another. */
let tail = Promise.resolve()

function keep(offered) {
  const done = tail.then(async () => {
    if (!isNewer(offered.stamp, held.stamp)) return
    await replaceFile(JSON.stringify(offered))
    held = offered // shown only now: a reader must not see what a power loss may take back
  })
  tail = done.catch(() => {})
  return done
}

/** The old content or the new, whatever happens, and the new once this is done. */
async function replaceFile(content) {
  const fresh = await open(`${file}.new`, 'w')
  try {
    await fresh.writeFile(content)
    await fresh.sync()
  } finally {
    await fresh.close()
  }
  await rename(`${file}.new`, file)
  const folder = await open(options.data, 'r')
  await folder.sync().finally(() => folder.close())
}

const server = createServer(async (request, response) => {
  try {
    if (request.method === 'PUT') {
      await keep(JSON.parse(await text(request)))
      response.writeHead(204).end()
    } else response.end(JSON.stringify(held))
  } catch {
    if (!response.headersSent) response.writeHead(500)
    response.end()
  }
})

server.listen(Number(options.port))
process.on('SIGTERM', () => process.exit(0))
