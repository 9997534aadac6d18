#!/usr/bin/env node
// @ts-check
/**
 * A worker: claims a shard, scans it in steps, records what it finds, moves the cursor, completes the shard, and claims
 * the next until the run is over. It may crash between any two of these; another worker, or its next start, goes on from
 * the last cursor and does a little work twice. The order matters: first the findings, then the cursor behind them.
 *
 * It keeps its lease in a file. After a restart it asks for the lease again (renew); a lease that has gone to another
 * worker is refused by its fence. It trusts its lease for a little less than its length, counted by its own clock from
 * before it asked: CLOCK_ERROR is how far two clocks may differ in speed. That spares work; the fence is what protects.
 *
 *   node worker.js CLUSTER HOST:PORT,… TENANT RUN WORKER FOLDER SEED COUNT
 */
import { mkdir, open, readFile, rename } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { mutant } from '../mutants.js'
import { CoordinatorClient, RequestError, UnknownOutcomeError } from './client.js'
import { isFinding, recordsOf } from './dataset.js'

const STEP_RECORDS = 5
/** A shard with more records ahead is divided when no other shard is free. */
const MUCH_RECORDS = 20
const CLOCK_ERROR = 0.05
const PAUSE_MS = 100

/** @typedef {{ shard: string, fence: number, range: { start: string, end: string }, cursor: { key: string, token: string } | null, step: number, untilMs: number }} Held */

export class Worker {
  #client
  #name
  #file
  #data
  #pauseMs

  /** @param {{ client: CoordinatorClient, name: string, folder: string, data: import('./dataset.js').DataSet, pauseMs?: number }} given */
  constructor({ client, name, folder, data, pauseMs = PAUSE_MS }) {
    this.#client = client
    this.#name = name
    this.#file = join(folder, 'lease.json')
    this.#data = data
    this.#pauseMs = pauseMs
  }

  /** Works until the run is over. */
  async run() {
    let held = await this.#remembered()
    for (;;) {
      try {
        held ??= await this.#claim()
        await this.#scan(held)
        held = null
      } catch (error) {
        if (error instanceof UnknownOutcomeError) continue // it may be done; a lease goes on, a claim is made anew
        if (!(error instanceof RequestError)) throw error
        if (error.code === 'run-terminal') return
        held = error.code === 'unavailable' ? held : null
        await pause(Math.min(this.#pauseMs, error.details.retryAfterMs ?? this.#pauseMs))
      }
    }
  }

  /** The lease that this worker had before it was restarted, if it still has it. @returns {Promise<Held | null>} */
  async #remembered() {
    try {
      const held = JSON.parse(await readFile(this.#file, 'utf8'))
      await this.#client.ask('renew', this.#by(held))
      return { ...held, untilMs: 0 }
    } catch {
      return null // no file, half a file, no lease
    }
  }

  /** @returns {Promise<Held>} */
  async #claim() {
    const askedMs = performance.now()
    const given = await this.#client.ask('claim', { worker: this.#name })
    const held = { ...given, step: 0, untilMs: trusted(askedMs, given.leaseMs) }
    await this.#remember(held)
    return held
  }

  /** @param {Held} held */
  async #scan(held) {
    for (;;) {
      await this.#renewInTime(held)
      const records = recordsOf(this.#data, held.range, held.cursor?.key ?? null, STEP_RECORDS)
      if (records.length === 0) break
      const cursor = { key: records[records.length - 1].key, token: String(held.step) }
      if (mutant('cursor-before-findings')) await this.#checkpoint(held, cursor)
      const keys = records.filter(({ text }) => isFinding(text)).map(({ key }) => key)
      if (keys.length > 0) await this.#client.ask('record', { ...this.#by(held), keys })
      if (!mutant('cursor-before-findings')) await this.#checkpoint(held, cursor)
    }
    await this.#operation(held, 'complete', { cursor: held.cursor })
  }

  /** @param {Held} held @param {{ key: string, token: string }} cursor */
  async #checkpoint(held, cursor) {
    const { available } = await this.#operation(held, 'checkpoint', { cursor })
    held.cursor = cursor
    await this.#remember(held)
    if (available === 0) await this.#divide(held)
  }

  /** Gives the second half of what lies ahead to another worker. @param {Held} held */
  async #divide(held) {
    const ahead = recordsOf(this.#data, held.range, held.cursor?.key ?? null, Infinity)
    if (ahead.length < MUCH_RECORDS) return
    const at = ahead[Math.floor(ahead.length / 2)].key
    await this.#operation(held, 'split-residual', { at })
    held.range = { ...held.range, end: at }
    await this.#remember(held)
  }

  /** @param {Held} held */
  async #renewInTime(held) {
    const askedMs = performance.now()
    if (askedMs < held.untilMs) return
    const { leaseMs } = await this.#client.ask('renew', this.#by(held))
    held.untilMs = trusted(askedMs, leaseMs)
  }

  /** Operations are named by lease and step: the same step has the same name after a restart. @param {Held} held @param {string} op @param {object} fields */
  async #operation(held, op, fields) {
    const operation = `${held.fence}.${held.cursor?.key ?? ''}.${op}`
    return this.#client.ask(op, { ...this.#by(held), operation, ...fields })
  }

  /** @param {Held} held */
  #by({ shard, fence }) {
    return { shard, fence, worker: this.#name }
  }

  /** @param {Held} held */
  async #remember(held) {
    const file = await open(`${this.#file}.new`, 'w')
    await file.writeFile(JSON.stringify(held)).finally(() => file.close())
    await rename(`${this.#file}.new`, this.#file)
  }
}

/** Half of a lease, less what clocks may differ: time enough to ask again. @param {number} askedMs @param {number} leaseMs */
function trusted(askedMs, leaseMs) {
  return askedMs + (leaseMs / 2) * (1 - CLOCK_ERROR)
}

/** @param {number} ms @returns {Promise<void>} */
function pause(ms) {
  return new Promise((resolve) => setTimeout(resolve, ms))
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const [cluster, servers, tenant, run, name, folder, seed, count] = process.argv.slice(2)
  await mkdir(folder, { recursive: true })
  const client = new CoordinatorClient({ cluster, servers: servers.split(','), tenant, run, totalMs: 5000 })
  const data = { seed: Number(seed), count: Number(count) }
  await new Worker({ client, name, folder, data }).run()
  client.close()
}
