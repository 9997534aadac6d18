#!/usr/bin/env node
// @ts-check
/**
 * Starts a cluster on this machine: `node start.js [SERVERS] [FOLDER]`, 3 servers in ./raft-data by default. Each server
 * is a process of its own; this one starts a server again when it ends by itself, and stops them all on Ctrl+C.
 */
import { spawn } from 'node:child_process'
import { join, resolve } from 'node:path'

const count = Number(process.argv[2] ?? 3)
const folder = resolve(process.argv[3] ?? 'raft-data')
const ids = Array.from({ length: count }, (_, index) => `raft${index + 1}`)
const peer = (/** @type {number} */ index) => `127.0.0.1:${7200 + index}`
const api = (/** @type {number} */ index) => `127.0.0.1:${7300 + index}`
const members = ids.map((id, index) => `${id}=${peer(index)}/${api(index)}`).join(',')

/** @type {Map<string, import('node:child_process').ChildProcess>} */
const running = new Map()
let stopping = false

/** @param {string} id @param {number} index */
function start(id, index) {
  const env = {
    ...process.env,
    RAFT_ID: id,
    RAFT_CLUSTER: 'local',
    RAFT_MEMBERS: members,
    RAFT_PEER_ADDRESS: peer(index),
    RAFT_API_ADDRESS: api(index),
    RAFT_DATA: join(folder, id),
  }
  const child = spawn(process.execPath, [join(import.meta.dirname, 'server.js')], { env, stdio: 'inherit' })
  running.set(id, child)
  child.on('exit', (code) => {
    running.delete(id)
    if (stopping || code === 0 || code === 2 || code === 3) return
    console.log(`${id} ended with ${code}; starting it again`)
    setTimeout(start, 500, id, index)
  })
}

ids.forEach(start)
console.log(`servers: ${ids.map((_, index) => api(index)).join(',')}, files in ${folder}, Ctrl+C to stop`)
for (const signal of ['SIGINT', 'SIGTERM']) {
  process.on(signal, () => {
    stopping = true
    for (const child of running.values()) child.kill('SIGTERM')
  })
}
