/**
 * Planted cases: for every rule sources that it must find, at the line of an arrow, and sources that look alike and
 * must pass.
 */
export interface PlantedCase {
  readonly rule: string
  readonly title: string
  /** A comment with an arrow stands on the line of the finding; without it the source must pass. */
  readonly source: string
}

const MARK = '/*⟵*/'

/** The line with the mark, from 1; null without one. */
export function markedLine(source: string): number | null {
  const at = source.indexOf(MARK)
  return at < 0 ? null : source.slice(0, at).split('\n').length
}

/** The source without its mark, which would be a comment there. */
export function unmarked(source: string): string {
  return source.replace(MARK, '')
}

export const PLANTED: readonly PlantedCase[] = [
  {
    rule: 'native-addon',
    title: 'a file of machine code',
    source: `const fast = require('./build/Release/fast.node') /*⟵*/`,
  },
  { rule: 'native-addon', title: 'a package with an addon', source: `import native from 'has-addon' /*⟵*/` },
  { rule: 'native-addon', title: 'dlopen', source: `process.dlopen(module, file) /*⟵*/` },
  { rule: 'native-addon', title: 'a package without', source: `import plain from 'plain'` },
  { rule: 'native-addon', title: 'types only', source: `import type { Native } from 'has-addon'` },
  { rule: 'blocked-thread', title: 'Atomics.wait', source: `Atomics.wait(cells, 0, 0) /*⟵*/` },
  {
    rule: 'blocked-thread',
    title: 'Atomics.waitAsync',
    source: `await Atomics.waitAsync(cells, 0, 0).value`,
  },
  {
    rule: 'blocked-thread',
    title: 'a child that is waited for',
    source: `const { execSync } = require('child_process')\nexecSync('git status') /*⟵*/`,
  },
  { rule: 'blocked-thread', title: 'a method of the same name', source: `db.execSync('select 1')` },
  {
    rule: 'answer-before-sync',
    title: 'an answer after a write',
    source: `import { appendFile } from 'node:fs/promises'
async function put(request, res) {
  await appendFile('log', request.body)
  res.end('ok') /*⟵*/
}`,
  },
  {
    rule: 'answer-before-sync',
    title: 'an answer after a synchronous write',
    source: `const fs = require('fs')
app.post('/put', (req, res) => {
  fs.writeFileSync(path, JSON.stringify(state))
  res.json({ ok: true }) /*⟵*/
})`,
  },
  {
    rule: 'answer-before-sync',
    title: 'a sync before the answer',
    source: `import { open } from 'node:fs/promises'
async function put(handle, res) {
  await handle.appendFile('x')
  await handle.datasync()
  res.end('ok')
}`,
  },
  {
    rule: 'answer-before-sync',
    title: 'a write that flushes',
    source: `import { writeFile } from 'node:fs/promises'
async function put(body, res) {
  await writeFile('a', body, { flush: true })
  res.end('ok')
}`,
  },
  {
    rule: 'rename-before-sync',
    title: 'a replacement without sync',
    source: `import { writeFile, rename } from 'node:fs/promises'
async function save(state) {
  await writeFile(temporary, state)
  await rename(temporary, file) /*⟵*/
}`,
  },
  {
    rule: 'rename-before-sync',
    title: 'a replacement with sync',
    source: `import fs from 'node:fs'
function save(state) {
  const fd = fs.openSync(temporary, 'w')
  fs.writeFileSync(fd, state)
  fs.fsyncSync(fd)
  fs.renameSync(temporary, file)
}`,
  },
  {
    rule: 'lost-update',
    title: 'a compound assignment with an await',
    source: `class Account { async add(f) { this.total += await f() /*⟵*/ } }`,
  },
  {
    rule: 'lost-update',
    title: 'a sum whose left side is read first',
    source: `class Account { async add(f) { this.total = this.total + (await f()) /*⟵*/ } }`,
  },
  {
    rule: 'lost-update',
    title: 'get, change, set',
    source: `async function visit(store, key) {
  const n = await store.get(key)
  await store.set(key, n + 1) /*⟵*/
}`,
  },
  {
    rule: 'lost-update',
    title: 'a file that is read, changed and written',
    source: `import { readFile, writeFile } from 'node:fs/promises'
async function add(file, item) {
  const text = await readFile(file, 'utf8')
  await writeFile(file, text + item) /*⟵*/
}`,
  },
  {
    rule: 'lost-update',
    title: 'a copy that is written back',
    source: `class Counter {
  async tick() {
    const n = this.count
    await this.log(n)
    this.count = n + 1 /*⟵*/
  }
}`,
  },
  {
    rule: 'lost-update',
    title: 'under a lock',
    source: `async function visit(store, key) {
  await lock.acquire(key)
  const n = await store.get(key)
  await store.set(key, n + 1)
}`,
  },
  {
    rule: 'lost-update',
    title: 'the await comes first',
    source: `class Account { async add(f) { this.total = (await f()) + this.total } }`,
  },
  {
    rule: 'lost-update',
    title: 'a cache that is filled',
    source: `async function load(cache, key) {
  const known = await cache.get(key)
  if (known) return known
  const fresh = await make(key)
  await cache.set(key, fresh)
}`,
  },
  {
    rule: 'check-then-act',
    title: 'a file that is checked and written',
    source: `import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
async function create(path) {
  if (!existsSync(path)) {
    await writeFile(path, '') /*⟵*/
  }
}`,
  },
  {
    rule: 'check-then-act',
    title: 'synchronous code',
    source: `import { existsSync, mkdirSync } from 'node:fs'
if (!existsSync(folder)) mkdirSync(folder)`,
  },
  {
    rule: 'check-then-act',
    title: 'a recursive mkdir',
    source: `import fs from 'node:fs/promises'
async function f(folder) { if (!(await fs.stat(folder))) await fs.mkdir(folder, { recursive: true }) }`,
  },
  {
    rule: 'early-acknowledgement',
    title: 'ack before the work',
    source: `channel.consume('jobs', async (msg) => {
  channel.ack(msg) /*⟵*/
  await work(msg.content)
})`,
  },
  {
    rule: 'early-acknowledgement',
    title: 'ack after the work',
    source: `channel.consume('jobs', async (msg) => {
  await work(msg.content)
  channel.ack(msg)
})`,
  },
  {
    rule: 'retried-request',
    title: 'a POST in a loop of attempts',
    source: `async function pay(body) {
  for (let attempt = 0; attempt < 3; attempt++) {
    try {
      return await fetch(url, { method: 'POST', body, signal }) /*⟵*/
    } catch (error) {
      await sleep(100)
    }
  }
}`,
  },
  {
    rule: 'retried-request',
    title: 'with a key',
    source: `async function pay(body) {
  const key = randomUUID()
  for (let attempt = 0; attempt < 3; attempt++) {
    try {
      return await fetch(url, { method: 'POST', body, signal, headers: { 'idempotency-key': key } })
    } catch (error) {
      await sleep(100)
    }
  }
}`,
  },
  {
    rule: 'retried-request',
    title: 'a loop over different items',
    source: `async function all(items) {
  for (const item of items) {
    try {
      await fetch(url, { method: 'POST', body: item, signal })
    } catch (error) {
      failed.push(item)
    }
  }
}`,
  },
  {
    rule: 'remote-clock',
    title: 'the deadline of a message',
    source: `socket.on('message', (msg) => { if (msg.expiresAt < Date.now()) return drop(msg) /*⟵*/ })`,
  },
  {
    rule: 'remote-clock',
    title: 'a decoded lease',
    source: `function holds(text) {
  const lease = JSON.parse(text)
  return lease.deadline > Date.now() /*⟵*/
}`,
  },
  {
    rule: 'remote-clock',
    title: "a cache of the process's own",
    source: `function get(key) {
  const entry = this.entries.get(key)
  return entry.expiresAt > Date.now() ? entry.value : null
}`,
  },
  {
    rule: 'message-boundary',
    title: 'JSON per chunk',
    source: `socket.on('data', (chunk) => handle(JSON.parse(chunk.toString()))) /*⟵*/`,
  },
  {
    rule: 'message-boundary',
    title: 'lines that are collected',
    source: `socket.on('data', (chunk) => {
  text += chunk
  for (const line of lines(text)) handle(JSON.parse(line))
})`,
  },
  {
    rule: 'unheard-error',
    title: 'a deaf client',
    source: `import net from 'node:net'
const socket = net.connect(80, 'host') /*⟵*/
socket.on('data', print)`,
  },
  {
    rule: 'unheard-error',
    title: 'a deaf server',
    source: `import { createServer } from 'node:net'
createServer((socket) => { /*⟵*/
  socket.on('data', (data) => socket.write(data))
}).listen(1)`,
  },
  {
    rule: 'unheard-error',
    title: 'a heard client',
    source: `import net from 'node:net'
const socket = net.connect(80, 'host')
socket.on('error', retry)`,
  },
  {
    rule: 'unheard-error',
    title: 'one that is passed on',
    source: `import { spawn } from 'node:child_process'
const child = spawn('node')
watch(child)`,
  },
  {
    rule: 'unheard-error',
    title: 'a chain that hears',
    source: `import http from 'node:http'
http.get(url, { timeout: 1 }, done).on('error', fail)`,
  },
  {
    rule: 'forgotten-promise',
    title: 'forEach with an async callback',
    source: `items.forEach(async (item) => { await save(item) }) /*⟵*/`,
  },
  {
    rule: 'forgotten-promise',
    title: 'a write that is not awaited',
    source: `import { writeFile } from 'node:fs/promises'
function save(state) {
  writeFile('state', state) /*⟵*/
}`,
  },
  {
    rule: 'forgotten-promise',
    title: 'a loop that waits',
    source: `for (const item of items) await save(item)`,
  },
  {
    rule: 'overlapping-interval',
    title: 'asynchronous work on an interval',
    source: `setInterval(async () => { await poll() }, 1000) /*⟵*/`,
  },
  {
    rule: 'overlapping-interval',
    title: 'with a guard',
    source: `setInterval(async () => { if (running) return; running = true; await poll(); running = false }, 1000)`,
  },
  {
    rule: 'swallowed-error',
    title: 'an empty catch around I/O',
    source: `async function save() {
  try {
    await db.insert(row)
  } catch {} /*⟵*/
}`,
  },
  { rule: 'swallowed-error', title: 'an empty handler', source: `db.insert(row).catch(() => {}) /*⟵*/` },
  {
    rule: 'swallowed-error',
    title: 'an empty last resort',
    source: `process.on('uncaughtException', () => {}) /*⟵*/`,
  },
  {
    rule: 'swallowed-error',
    title: 'a comment that says why',
    source: `async function save() { try { await db.insert(row) } catch { /* it is there already */ } }`,
  },
  {
    rule: 'swallowed-error',
    title: 'a cleanup',
    source: `async function end() { try { await socket.close() } catch {} }`,
  },
  {
    rule: 'unordered-data',
    title: 'results in the order of completion',
    source: `async function all(urls) {
  const out = []
  await Promise.all(urls.map(async (url) => {
    out.push(await get(url)) /*⟵*/
  }))
  return out
}`,
  },
  {
    rule: 'unordered-data',
    title: 'entries in the order of the disk',
    source: `import { opendir } from 'node:fs/promises'
async function names(folder) {
  const all = []
  for await (const entry of await opendir(folder)) all.push(entry.name) /*⟵*/
  return all
}`,
  },
  {
    rule: 'unordered-data',
    title: 'results that are returned',
    source: `async function all(urls) { return Promise.all(urls.map(async (url) => await get(url))) }`,
  },
  {
    rule: 'random-identity',
    title: 'an id from Math.random',
    source: `const requestId = Math.random().toString(36).slice(2) /*⟵*/`,
  },
  { rule: 'random-identity', title: 'jitter', source: `const delay = 100 + Math.random() * 50` },
  {
    rule: 'unbounded-queue',
    title: 'a queue that takes everything',
    source: `class Mailer { constructor() { this.queue = [] } send(mail) { this.queue.push(mail) /*⟵*/ } }`,
  },
  {
    rule: 'unbounded-queue',
    title: 'a queue with a limit',
    source: `class Mailer { send(mail) { if (this.queue.length >= 100) throw new Error('full'); this.queue.push(mail) } }`,
  },
  {
    rule: 'missing-timeout',
    title: 'fetch without a signal',
    source: `const answer = await fetch(url) /*⟵*/`,
  },
  {
    rule: 'missing-timeout',
    title: 'fetch with a signal',
    source: `const answer = await fetch(url, { signal: AbortSignal.timeout(1000) })`,
  },
  {
    rule: 'missing-timeout',
    title: 'options that are not written out',
    source: `const answer = await fetch(url, { ...options, method: 'POST' })`,
  },
]
