#!/usr/bin/env node
// @ts-check
/**
 * The same core as a node of Maelstrom's lin-kv workload: core.js behind `wavetank/maelstrom`. Effects are performed at
 * once; nothing is kept on a disk, so a node must not be killed: a server that forgets its vote may vote twice. A node
 * that does not lead passes a request on to the leader and hands its answer back.
 *
 *   npx wavetank maelstrom test -w lin-kv --bin examples/raft/maelstrom-node.js --node-count 3 --concurrency 2n \
 *     --nemesis partition
 *
 * @import { Message as Packet } from 'wavetank/maelstrom'
 * @import { Effect, Input, Refusal, RequestInput } from './types.ts'
 */
import { createNode, MaelstromError } from 'wavetank/maelstrom'
import { DEFAULTS, Raft } from './core.js'
import { KvMachine } from './kv-machine.js'

/** Faster than the defaults: a client of this workload waits for 1 s. */
const OPTIONS = { ...DEFAULTS, electionMs: 300, heartbeatMs: 60 }
const TEMPORARILY_UNAVAILABLE = 11
const MALFORMED_REQUEST = 12
const CRASH = 13
const KEY_DOES_NOT_EXIST = 20
const PRECONDITION_FAILED = 22

const node = createNode()
const machine = new KvMachine()
/** @type {Raft} */
let raft
/** @type {NodeJS.Timeout | undefined} */
let timer
/** @type {Map<number, { resolve: (value: any) => void, reject: (refusal: Refusal) => void }>} */
const waiting = new Map()
let nextRequest = 1
/** The session under which this node orders commands while it leads. @type {Promise<number> | null} */
let session = null
let sequence = 0

node.onInit(() => {
  const members = Object.fromEntries(node.ids.map((id) => [id, { peer: id, api: id }]))
  const snapshot = { index: 0, term: 0, timeMs: 0, members, data: '' }
  const recovered = { term: 0, vote: null, snapshot, entries: [] }
  raft = new Raft(
    { id: node.id, options: OPTIONS, machine, random: Math.random },
    recovered,
    performance.now(),
  )
  arm()
})

/** @param {Input} input */
function step(input) {
  for (const effect of raft.step(input, performance.now())) perform(effect)
  arm()
}

/** @param {Effect} effect */
function perform(effect) {
  if (effect.type === 'send') node.send(effect.to, { type: 'raft', message: effect.message })
  if (effect.type === 'reply') settle(effect.request)?.resolve(effect.value)
  if (effect.type === 'refuse') settle(effect.request)?.reject(effect.refusal)
}

/** @param {number} request */
function settle(request) {
  const found = waiting.get(request)
  waiting.delete(request)
  return found
}

function arm() {
  clearTimeout(timer)
  timer = setTimeout(
    () => step({ type: 'tick' }),
    Math.max(1, Math.ceil(raft.deadlineMs - performance.now())),
  )
}

/** @param {RequestInput} input @returns {Promise<any>} */
function ask(input) {
  const request = nextRequest++
  return new Promise((resolve, reject) => {
    waiting.set(request, { resolve, reject })
    step({ ...input, request })
  })
}

/** Orders a command, under a session of this node. @param {unknown} command @returns {Promise<any>} */
async function order(command) {
  session ??= ask({ type: 'register' }).then((registered) => registered.session)
  try {
    return await ask({ type: 'command', session: await session, sequence: ++sequence, command })
  } catch (refusal) {
    session = null
    throw refusal
  }
}

/** @param {string} key */
async function read(key) {
  const { found, value } = await ask({ type: 'query', query: { op: 'get', key } })
  if (!found) throw new MaelstromError(KEY_DOES_NOT_EXIST, `there is no key ${key}`)
  return { type: 'read_ok', value }
}

/** @param {Packet['body']} body */
async function carryOut(body) {
  const key = JSON.stringify(body.key)
  if (body.type === 'read') return read(key)
  const { type, value, from, to } = body
  const command = type === 'write' ? { op: 'put', key, value } : { op: 'cas', key, from, to }
  const problem = machine.check(command)
  if (problem !== null) throw new MaelstromError(MALFORMED_REQUEST, problem)
  const { ok } = await order(command)
  if (!ok) throw new MaelstromError(PRECONDITION_FAILED, `${key} was not ${JSON.stringify(from)}`)
  return { type: `${type}_ok` }
}

/** @param {Packet} request */
async function serve({ body }) {
  const { leader } = raft
  if (raft.role !== 'leader') {
    if (leader === null || leader === node.id || body.forwarded === true)
      throw new MaelstromError(TEMPORARILY_UNAVAILABLE, 'there is no leader')
    const { msg_id: _, ...fields } = body
    const { in_reply_to: __, msg_id: ___, ...reply } = await node.rpc(leader, { ...fields, forwarded: true })
    return reply
  }
  try {
    return await carryOut(body)
  } catch (error) {
    if (error instanceof MaelstromError) throw error
    const { code, message } = /** @type {Refusal} */ (error)
    // The entry of a leader that was deposed may be committed by the next one, or not.
    throw new MaelstromError(code === 'leadership-lost' ? CRASH : TEMPORARILY_UNAVAILABLE, message)
  }
}

node.on('raft', ({ src, body }) => {
  if (raft !== undefined)
    step({ type: 'message', from: src, message: /** @type {import('./types.ts').Message} */ (body.message) })
})
for (const type of ['read', 'write', 'cas']) node.on(type, serve)
