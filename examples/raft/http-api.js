// @ts-check
/**
 * What clients ask a server for, over HTTP. Every request with a body is a POST of JSON with the cluster's id in it.
 *
 *   POST /sessions  { cluster }                                → { session }
 *   POST /commands  { cluster, session, sequence, command }    → { result }
 *   POST /queries   { cluster, query }                         → { result }
 *   POST /members   { cluster, add: { id, peer, api } }        → { members }
 *   POST /members   { cluster, remove: id }                    → { members }
 *   POST /transfers { cluster, to? }                           → { successor }
 *   GET  /status                                               → { id, term, role, leader, commit, … }
 *
 * An error is `{ error: code, message }`; the README has the table. 421 means that another server leads, with its
 * address if it is known. Only `leadership-lost` and `timeout` leave open whether the command was ordered.
 *
 * @import { RaftNode } from './node.js'
 */
import { createServer } from 'node:http'
import { RefusedError } from './node.js'

const MAX_BODY_BYTES = 1024 * 1024
const ANSWER_MS = 5000

/** @type {Readonly<Record<string, number>>} */
const STATUS = {
  'malformed-json': 400,
  'malformed-request': 400,
  'unknown-path': 404,
  'unknown-key': 404,
  'wrong-cluster': 409,
  'session-expired': 409,
  'stale-sequence': 409,
  'change-pending': 409,
  'no-change': 409,
  'unknown-member': 409,
  'body-too-large': 413,
  'not-leader': 421,
  'leadership-lost': 503,
  overloaded: 503,
  transferring: 503,
  'not-ready': 503,
  'shutting-down': 503,
  'catch-up-timeout': 504,
  'transfer-timeout': 504,
  timeout: 504,
}

export class ApiError extends Error {
  /** @param {string} code @param {string} message @param {object} [more] */
  constructor(code, message, more = {}) {
    super(message)
    this.code = code
    this.more = more
  }
}

/** What a path asks the node for. @typedef {(body: any) => import('./types.ts').RequestInput} Route */
/** How a path of another service is answered. @typedef {(body: any) => Promise<unknown>} Handler */

/** @param {RaftNode} node @returns {Readonly<Record<string, Route>>} */
function routesOf(node) {
  return {
    '/sessions': () => ({ type: 'register' }),
    '/commands': ({ session, sequence, command }) => {
      if (!isPositive(session)) throw malformed('session is the number that POST /sessions gave')
      if (!isPositive(sequence)) throw malformed('sequence counts the commands of a session from 1')
      const problem = node.machine.check(command)
      if (problem !== null) throw malformed(`command: ${problem}`)
      return { type: 'command', session, sequence, command }
    },
    '/queries': ({ query }) => {
      const problem = node.machine.checkQuery(query)
      if (problem !== null) throw malformed(`query: ${problem}`)
      return { type: 'query', query }
    },
    '/members': ({ add, remove }) => {
      if (typeof remove === 'string') return { type: 'remove', id: remove }
      if ([add?.id, add?.peer, add?.api].some((part) => typeof part !== 'string' || part === ''))
        throw malformed('expected remove: id, or add: { id, peer, api }')
      return { type: 'add', id: add.id, member: { peer: add.peer, api: add.api } }
    },
    '/transfers': ({ to = null }) => {
      if (to !== null && typeof to !== 'string') throw malformed('to is the id of a member')
      return { type: 'transfer', to }
    },
  }
}

/**
 * @param {RaftNode} node
 * @param {object} settings
 * @param {string} settings.cluster
 * @param {(path: string, value: any) => unknown} [settings.shape] makes an answer of a result
 * @param {Readonly<Record<string, Handler>>} [settings.handlers] more paths, for a service that stands on this one
 * @param {Readonly<Record<string, number>>} [settings.statuses] the HTTP status of more error codes
 */
export function createApi(node, { cluster, shape = (_path, value) => value, handlers = {}, statuses = {} }) {
  const routes = routesOf(node)
  return createServer((request, response) => {
    answer(request)
      .catch((error) => errorAnswer(error, { ...STATUS, ...statuses }))
      .then(({ status, body }) => {
        if (!response.writable) return
        const text = JSON.stringify(body)
        if (status === 413) response.setHeader('connection', 'close') // the rest of the body is not read
        response.writeHead(status, {
          'content-type': 'application/json',
          'content-length': Buffer.byteLength(text),
        })
        response.end(text)
      })
      .catch(() => response.destroy())
  })

  /** @param {import('node:http').IncomingMessage} request */
  async function answer(request) {
    const path = request.url ?? '/'
    if (request.method === 'GET' && path === '/status') return { status: 200, body: node.status }
    const route = routes[path]
    const handler = handlers[path] ?? (async (/** @type {any} */ body) => node.request(route(body)))
    if (request.method !== 'POST' || (route === undefined && !(path in handlers)))
      throw new ApiError('unknown-path', `there is no ${request.method} ${path}`)
    const body = parse(await bodyOf(request))
    if (body.cluster !== cluster)
      throw new ApiError('wrong-cluster', `this is cluster '${cluster}', not '${body.cluster}'`)
    const value = await withinTime(handler(body))
    return { status: 200, body: shape(path, value) }
  }
}

/** An answer about a key that is not there, for the key-value store. @param {string} path @param {any} value */
export function keyValueShape(path, value) {
  if (path === '/queries' && !value.found) throw new ApiError('unknown-key', 'there is no such key')
  return path === '/queries' || path === '/commands' ? { result: value } : value
}

/** @param {import('node:http').IncomingMessage} request @returns {Promise<string>} */
function bodyOf(request) {
  return new Promise((resolve, reject) => {
    /** @type {Buffer[]} */
    const parts = []
    let bytes = 0
    request.on('data', (part) => {
      bytes += part.length
      if (bytes <= MAX_BODY_BYTES) parts.push(part)
      else reject(new ApiError('body-too-large', `a body has at most ${MAX_BODY_BYTES} bytes`))
    })
    request.on('end', () => resolve(Buffer.concat(parts).toString()))
    request.on('error', reject)
  })
}

/** @param {string} text @returns {any} */
function parse(text) {
  let body
  try {
    body = JSON.parse(text)
  } catch (error) {
    throw new ApiError('malformed-json', /** @type {Error} */ (error).message)
  }
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    throw malformed('the body is a JSON object')
  return body
}

/** @template T @param {Promise<T>} promise @returns {Promise<T>} */
function withinTime(promise) {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      reject(new ApiError('timeout', `no outcome within ${ANSWER_MS} ms; it is unknown`))
    }, ANSWER_MS)
    promise.finally(() => clearTimeout(timer)).then(resolve, reject)
  })
}

/** @param {string} message */
function malformed(message) {
  return new ApiError('malformed-request', message)
}

/** @param {unknown} value */
function isPositive(value) {
  return Number.isSafeInteger(value) && /** @type {number} */ (value) > 0
}

/** @param {unknown} error @param {Readonly<Record<string, number>>} statuses */
function errorAnswer(error, statuses) {
  const { code, more } =
    error instanceof RefusedError
      ? { code: error.refusal.code, more: { leader: error.refusal.leader ?? null } }
      : error instanceof ApiError
        ? error
        : { code: 'internal', more: {} }
  const { message } = /** @type {Error} */ (error)
  return { status: statuses[code] ?? 500, body: { error: code, message, ...more } }
}
