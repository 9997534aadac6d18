#!/usr/bin/env node
// @ts-check
/**
 * Starts a cluster on this machine: `node start.js [SERVERS] [FOLDER]`, 3 servers in ./raft-data by default. Each server
 * is a process of its own; this one starts a server again when it ends by itself, and stops them all on Ctrl+C.
 */
import { join, resolve } from 'node:path'
import { LocalCluster } from './local-cluster.js'

const folder = resolve(process.argv[3] ?? 'raft-data')
const cluster = new LocalCluster({
  program: join(import.meta.dirname, 'server.js'),
  name: 'raft',
  count: Number(process.argv[2] ?? 3),
  folder,
  firstPort: 7200,
})
cluster.start()
console.log(`servers: ${cluster.servers.join(',')}, files in ${folder}, Ctrl+C to stop`)
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => cluster.stop())
