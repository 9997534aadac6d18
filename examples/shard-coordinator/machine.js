// @ts-check
/**
 * The coordinator as the state machine that Raft replicates. Time comes with the entry: the leader put it there, from
 * its own monotonic clock (cluster time), so every server expires the same leases at the same entries.
 *
 * A command in the log can no longer be refused as malformed, so its shape is checked before it is ordered.
 *
 * @import { StateMachine } from '../raft/types.ts'
 * @import { Command, Step } from './types.ts'
 */
import { mutant } from '../mutants.js'
import { Coordinator, CURSOR_MEANINGS, PARK_REASONS } from './coordinator.js'

/** @typedef {(value: any) => boolean} Shape */

/** @type {Shape} */
const text = (value) => typeof value === 'string'
/** @type {Shape} */
const name = (value) => typeof value === 'string' && /^[\w.-]{1,64}$/.test(value)
/** @type {Shape} */
const count = (value) => Number.isSafeInteger(value) && value >= 0
/** @type {Shape} */
const range = (value) => text(value?.start) && text(value?.end)
/** @type {Shape} */
const ranges = (value) => Array.isArray(value) && value.length > 0 && value.every(range)
/** @type {Shape} */
const cursor = (value) => text(value?.key) && text(value?.token)

const LEASED = { shard: name, worker: name, fence: count }
const OPERATION = { ...LEASED, operation: name }

/** What every command has beside `tenant` and `run`. @type {Readonly<Record<string, Readonly<Record<string, Shape>>>>} */
export const COMMANDS = {
  'create-run': {
    operation: name,
    leaseMs: (value) => count(value) && value > 0,
    cooldownMs: count,
    cursorMeans: (value) => value === undefined || CURSOR_MEANINGS.includes(value),
  },
  'register-shards': { operation: name, shards: ranges },
  'complete-run': { operation: name },
  'fail-run': { operation: name },
  'cancel-run': { operation: name },
  unpark: { operation: name, shard: name },
  claim: { worker: name },
  acquire: { worker: name, shard: name },
  renew: LEASED,
  record: { ...LEASED, keys: (value) => Array.isArray(value) && value.every(text) },
  checkpoint: { ...OPERATION, cursor },
  complete: { ...OPERATION, cursor: (value) => value === null || cursor(value) },
  park: { ...OPERATION, reason: (value) => PARK_REASONS.includes(value) },
  'split-replace': { ...OPERATION, children: ranges },
  'split-residual': { ...OPERATION, at: text },
}

/** @type {typeof COMMANDS} */
export const QUERIES = {
  run: {},
  progress: {},
  findings: {},
  shards: { filter: (value) => ['all', 'active', 'available', 'parked', 'roots'].includes(value) },
}

/** @implements {StateMachine} */
export class CoordinatorMachine {
  #coordinator = new Coordinator()
  #observe

  /** @param {(step: Step) => void} [observe] */
  constructor(observe = () => {}) {
    this.#observe = observe
  }

  /** @param {any} command */
  check(command) {
    return problemOf(COMMANDS, command)
  }

  /** @param {any} query */
  checkQuery(query) {
    return problemOf(QUERIES, query)
  }

  /** @param {Command} command @param {import('../raft/types.ts').ApplyContext} context */
  apply(command, { index, timeMs }) {
    const step = this.#coordinator.execute(command, mutant('expiry-by-own-clock') ? Date.now() : timeMs)
    this.#observe({ index, command, ...step })
    return step.result
  }

  /** @param {any} query */
  query(query) {
    return this.#coordinator.query(query)
  }

  snapshot() {
    return this.#coordinator.snapshot()
  }

  /** @param {unknown} snapshot */
  restore(snapshot) {
    this.#coordinator.restore(snapshot)
  }
}

/** @param {typeof COMMANDS} shapes @param {any} request */
function problemOf(shapes, request) {
  const shape = shapes[request?.op]
  if (shape === undefined) return `op is one of ${Object.keys(shapes).join(', ')}`
  const wrong = Object.entries({ tenant: name, run: name, ...shape }).find(
    ([key, fits]) => !fits(request[key]),
  )
  return wrong === undefined ? null : `${request.op}: ${wrong[0]} is missing or malformed`
}
