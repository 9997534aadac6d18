#!/usr/bin/env node
// @ts-check
/**
 * A server of the shard coordinator: Raft's node with the coordinator as its state machine. Settings, files and exit
 * codes are those of ../raft: 0 stopped, 2 bad settings, 3 corrupt files, 4 the system refused a file or a port.
 *
 * With COORDINATOR_TRACE=1 it prints what every command did as a line of JSON; the invariants of the simulation read
 * these lines.
 */
import { RaftNode } from '../raft/node.js'
import { settingsFrom } from '../raft/settings.js'
import { CorruptionError } from '../raft/storage.js'
import { CoordinatorMachine } from './machine.js'
import { createService } from './service.js'

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

const { trace: _trace, apiAddress, ...given } = settings()
const observe =
  process.env.COORDINATOR_TRACE === '1'
    ? (/** @type {object} */ step) => void process.stdout.write(`${JSON.stringify(step)}\n`)
    : () => {}

try {
  const node = await RaftNode.start({
    ...given,
    machine: new CoordinatorMachine(observe),
    log: (text) => console.error(text),
    fatal: fail,
  })
  const api = createService(node, given.cluster)
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
