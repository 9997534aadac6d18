#!/usr/bin/env node
// @ts-check
/**
 * Coordinators and workers on this machine: `node start.js [SERVERS] [WORKERS] [FOLDER]`, 3 and 3 in ./shard-data by
 * default. Each is a process of its own. The workers scan a generated data set in one run; when every shard is done, what
 * they found is compared with what was planted, and everything stops: exit code 0 if nothing was missed and nothing was
 * found that is not there, 1 otherwise. Kill any of them while it works: servers and workers are started again.
 *
 * COORDINATOR_PORT (7400) is the first port; RECORDS (2000) is the size of the data set.
 */
import { spawn } from 'node:child_process'
import { join, resolve } from 'node:path'
import { LocalCluster } from '../raft/local-cluster.js'
import { CoordinatorClient } from './client.js'
import { keyOf, truthOf } from './dataset.js'

const workers = Number(process.argv[3] ?? 3)
const folder = resolve(process.argv[4] ?? 'shard-data')
const data = { seed: 7, count: Number(process.env.RECORDS ?? 2000) }
const tenant = 'local'
const run = `scan-${process.pid}`

const cluster = new LocalCluster({
  program: join(import.meta.dirname, 'server.js'),
  name: 'coordinator',
  count: Number(process.argv[2] ?? 3),
  folder,
  firstPort: Number(process.env.COORDINATOR_PORT ?? 7400),
})
const client = new CoordinatorClient({
  cluster: 'local',
  servers: cluster.servers,
  tenant,
  run,
  totalMs: 60_000,
})
/** @type {Set<import('node:child_process').ChildProcess>} */
const scanning = new Set()
let stopping = false

/** @param {string} name */
function startWorker(name) {
  const place = ['local', cluster.servers.join(','), tenant, run, name, join(folder, name)]
  const args = [join(import.meta.dirname, 'worker.js'), ...place, String(data.seed), String(data.count)]
  const child = spawn(process.execPath, args, { stdio: 'inherit' })
  scanning.add(child)
  child.on('exit', (code) => {
    scanning.delete(child)
    if (stopping || code === 0) return
    console.log(`${name} ended with ${code}; starting it again`)
    setTimeout(startWorker, 200, name)
  })
}

function stop() {
  stopping = true
  for (const child of scanning) child.kill('SIGKILL')
  cluster.stop()
  client.close()
}

async function scan() {
  await client.ask('create-run', { operation: 'create', leaseMs: 5000, cooldownMs: 100 })
  const shards = [
    { start: '', end: keyOf(data.count / 2) },
    { start: keyOf(data.count / 2), end: '' },
  ]
  await client.ask('register-shards', { operation: 'register', shards })
  for (let at = 1; at <= workers; at++) startWorker(`worker${at}`)
  for (;;) {
    const { active, done, split } = await client.ask('progress')
    console.log(`shards: ${active} active, ${done} done, ${split} split`)
    if (active === 0) break
    await new Promise((after) => setTimeout(after, 500))
  }
  await client.ask('complete-run', { operation: 'complete' })
  const { findings } = await client.ask('findings')
  const found = new Set(findings.map((/** @type {{ key: string }} */ { key }) => key))
  const truth = truthOf(data)
  const missed = truth.filter((key) => !found.delete(key))
  console.log(`planted ${truth.length}, missed ${missed.length}, found without being there ${found.size}`)
  return missed.length === 0 && found.size === 0
}

for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, stop)
cluster.start()
console.log(`servers: ${cluster.servers.join(',')}, files in ${folder}, Ctrl+C to stop`)
try {
  process.exitCode = (await scan()) ? 0 : 1
} catch (error) {
  if (!stopping) console.error(String(error))
  process.exitCode = 1
}
stop()
