#!/usr/bin/env node
/**
 * Starts a cluster on this machine: `node start.js [MEMBERS]`, 3 by default. Each member is a process of its own; kill one
 * with `kill -9` and see what the others print. Members that were killed start again after 10 s. Ctrl+C stops them all.
 */
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const count = Number(process.argv[2] ?? 3)
if (!Number.isInteger(count) || count < 1 || count > 50) {
  console.error(`start.js: expected 1 to 50 members, not '${process.argv[2]}'`)
  process.exit(2)
}
const program = join(fileURLToPath(new URL('.', import.meta.url)), 'node.js')
const RESTART_MS = 10_000
const port = (/** @type {number} */ index) => 7946 + index
const http = (/** @type {number} */ index) => 8080 + index
const all = Array.from({ length: count }, (_, index) => `127.0.0.1:${port(index)}`).join(',')

const running = new Set()
let stopping = false

/** @param {number} index */
function start(index) {
  const name = `member${index + 1}`
  const addresses = ['--port', String(port(index)), '--http', String(http(index)), '--join', all]
  const child = spawn(process.execPath, [program, '--id', name, ...addresses], { stdio: 'inherit' })
  running.add(child)
  console.log(`${name}: process ${child.pid}, http://127.0.0.1:${http(index)}/members`)
  child.on('exit', (code, signal) => {
    running.delete(child)
    if (stopping || signal === null) return
    console.log(`${name} was ended by ${signal}; it starts again in ${RESTART_MS / 1000} s`)
    setTimeout(() => stopping || start(index), RESTART_MS).unref()
  })
}

for (let index = 0; index < count; index++) start(index)
for (const signal of ['SIGINT', 'SIGTERM']) {
  process.on(signal, () => {
    stopping = true
    for (const child of running) child.kill('SIGTERM')
  })
}
