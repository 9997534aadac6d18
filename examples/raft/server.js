#!/usr/bin/env node
// @ts-check
/**
 * A server of the replicated key-value store, configured by environment variables (settings.js). It ends with 0 after
 * SIGTERM or SIGINT, with 2 for bad settings, with 3 when its files are corrupt, and with 4 when the system refuses it a
 * file or a port (start it again). Any other code is a bug.
 *
 * With RAFT_TRACE=1 it prints everything it decides as lines of JSON, and publishes what is worth a line of a story to
 * wavetank, in whose tank the invariants of raft.sim.ts read them.
 */
import { createApi, keyValueShape } from './http-api.js'
import { KvMachine } from './kv-machine.js'
import { RaftNode } from './node.js'
import { settingsFrom } from './settings.js'
import { CorruptionError } from './storage.js'

/** What a story tells; everything else is for invariants. */
const TOLD = new Set(['elected', 'stepped-down', 'snapshot-installed', 'truncate', 'members', 'hands-over'])

/** @param {number} code @param {unknown} error @returns {never} */
function end(code, error) {
  console.error(code === 2 || code === 3 ? /** @type {Error} */ (error).message : error)
  process.exit(code)
}

/** @param {any} error @returns {never} */
function fail(error) {
  return end(error instanceof CorruptionError ? 3 : typeof error?.syscall === 'string' ? 4 : 1, error)
}

function settings() {
  try {
    return settingsFrom(process.env)
  } catch (error) {
    return end(2, error)
  }
}

const { trace, apiAddress, ...given } = settings()
const tank = trace ? await import('wavetank').catch(() => null) : null

/** @type {import('./types.ts').Observe} */
const observe = trace
  ? (name, data) => {
      process.stdout.write(`${JSON.stringify({ raft: name, ...data })}\n`)
      if (TOLD.has(name)) tank?.event(name, data)
    }
  : () => {}

try {
  const node = await RaftNode.start({
    ...given,
    machine: new KvMachine(),
    observe,
    log: (text) => console.error(text),
    fatal: fail,
  })
  const api = createApi(node, { cluster: given.cluster, shape: keyValueShape })
  api.listen(Number(apiAddress.split(':').at(-1)), () => console.log(`${given.id} listens on ${apiAddress}`))
  let stopping = false
  for (const signal of ['SIGTERM', 'SIGINT']) {
    process.on(signal, () => {
      if (stopping) return
      stopping = true
      node.stop().then(() => process.exit(0), fail)
    })
  }
} catch (error) {
  fail(error)
}
