#!/usr/bin/env node
/**
 * A member of a gossip cluster: SWIM over UDP, exchanges of whole states over TCP, HTTP for people and clients. The
 * protocol is in swim.js; this file only moves bytes, timers and lines of its log.
 *
 *   node node.js --id a --port 7946 --http 8080 [--host 127.0.0.1] [--join 127.0.0.1:7947,…] [--lifeguard off]
 *     [--interval 1000]    milliseconds between two probes; a cluster needs the same everywhere
 *     [--fresh-id on]      every start is a new member: the id gets a tail of its own
 *     [--trace on]         the outcome of every probe, and every refutation, as lines too
 *
 *   GET  /members    what this member believes about all
 *   GET  /messages   the messages it has heard
 *   POST /messages   spreads the body, JSON of at most 1 KiB; answers { "id": … }
 *
 * Every belief that changes and every message that arrives is a line of JSON on stdout.
 */
import { createSocket } from 'node:dgram'
import { lookup } from 'node:dns/promises'
import { createServer } from 'node:http'
import { connect, createServer as createTcpServer } from 'node:net'
import { parseArgs } from 'node:util'
import { whatIsWrong } from './packets.js'
import { DEFAULTS, Swim } from './swim.js'

const { values: options } = parseArgs({
  options: {
    id: { type: 'string' },
    host: { type: 'string', default: '127.0.0.1' },
    port: { type: 'string', default: '7946' },
    http: { type: 'string', default: '8080' },
    join: { type: 'string', default: '' },
    interval: { type: 'string', default: String(DEFAULTS.probeIntervalMs) },
    lifeguard: { type: 'string', default: 'on' },
    'fresh-id': { type: 'string', default: 'off' },
    trace: { type: 'string', default: 'off' },
  },
})

/** Bad options end the program before it opens a port. @param {string} name @param {string} expected @param {boolean} isGood */
function expectOption(name, expected, isGood) {
  if (isGood) return
  console.error(`--${name}: expected ${expected}, not '${options[name]}'`)
  process.exit(2)
}
const isPort = (text) => /^\d{1,5}$/.test(text) && Number(text) < 65_536
expectOption('port', 'a port', isPort(options.port))
expectOption('http', 'a port', isPort(options.http))
expectOption('interval', 'a number of milliseconds', Number(options.interval) > 0)
for (const name of ['lifeguard', 'fresh-id', 'trace'])
  expectOption(name, 'on or off', options[name] === 'on' || options[name] === 'off')

const MAX_BODY_BYTES = 1_024
/** How long a whole state may take to arrive. */
const EXCHANGE_MS = 5_000
const MAX_STATE_BYTES = 16 * 1024 * 1024
/** A member that leaves stays this long to spread the word. */
const GOODBYE_MS = 1_000

/** Monotonic: a wall clock that jumps must not make members look silent. */
const now = () => performance.now()

const port = Number(options.port)
/** Tells this run of the program from earlier ones: ids of messages are never used twice. */
const boot = Math.floor(Math.random() * 2 ** 48).toString(36)
const name = options.id ?? `${options.host}:${port}`
const id = options['fresh-id'] === 'on' ? `${name}/${boot}` : name
const peers = options.join
  .split(',')
  .filter((address) => address !== '' && address !== `${options.host}:${port}`)
// Members know each other by IP address, so that no packet waits for a name to be looked up. A name that does not exist
// is a mistake in the configuration: it ends the program now.
const { address: ip } = await lookup(options.host, 4)

const swim = new Swim({
  id,
  address: `${ip}:${port}`,
  nowMs: now(),
  config: {
    probeIntervalMs: Number(options.interval),
    probeTimeoutMs: Number(options.interval) / 2,
    lifeguard: options.lifeguard !== 'off',
  },
})

// --- Packets.

const socket = createSocket('udp4')
socket.on('message', (bytes) => receive(bytes))
socket.on('error', (error) => console.error(`udp: ${error.message}`)) // a lost packet is nothing new to the protocol

const exchanges = createTcpServer((connection) => {
  const pieces = []
  let bytes = 0
  connection.setTimeout(EXCHANGE_MS, () => connection.destroy())
  connection.on('error', () => connection.destroy())
  connection.on('data', (piece) => {
    bytes += piece.length
    if (bytes > MAX_STATE_BYTES) connection.destroy()
    else pieces.push(piece)
  })
  connection.on('end', () => {
    connection.end()
    receive(Buffer.concat(pieces))
  })
})

/** @param {Buffer} bytes */
function receive(bytes) {
  let message
  try {
    message = JSON.parse(bytes.toString())
  } catch {
    console.error(`a packet of ${bytes.length} bytes is not JSON; dropped`)
    return
  }
  const wrong = whatIsWrong(message)
  if (wrong !== null) {
    console.error(`a packet ${wrong}; dropped`)
    return
  }
  swim.handleInput(message, now())
  pump()
}

function transmit({ address, reliable, message }) {
  const at = address.lastIndexOf(':')
  const host = address.slice(0, at)
  const toPort = Number(address.slice(at + 1))
  const bytes = JSON.stringify(message)
  if (!reliable) return socket.send(bytes, toPort, host)
  const connection = connect(toPort, host)
  connection.setTimeout(EXCHANGE_MS, () => connection.destroy())
  connection.on('error', () => connection.destroy()) // out of reach: the next exchange is another try
  connection.end(bytes)
}

// --- The loop around the protocol.

let timer
/** When the timer fires. */
let dueMs = Infinity

function pump() {
  for (let packet = swim.pollTransmit(); packet !== null; packet = swim.pollTransmit()) transmit(packet)
  for (let event = swim.pollEvent(); event !== null; event = swim.pollEvent())
    if (options.trace === 'on' || event.type === 'member' || event.type === 'deliver')
      console.log(JSON.stringify({ observer: id, ...event }))
  if (swim.pollTimeout() === dueMs) return
  clearTimeout(timer)
  dueMs = swim.pollTimeout()
  timer = setTimeout(wake, Math.max(1, Math.ceil(dueMs - now())))
}

function wake() {
  dueMs = Infinity
  swim.handleTimeout(now())
  pump()
}

// --- HTTP.

let nextMessage = 1

const web = createServer(async (request, response) => {
  const answer = (status, body) => {
    response.writeHead(status, { 'content-type': 'application/json' })
    response.end(`${JSON.stringify(body)}\n`)
  }
  const route = `${request.method} ${request.url}`
  if (route === 'GET /members')
    return answer(200, { id, health: swim.healthMultiplier, members: swim.members() })
  if (route === 'GET /messages') return answer(200, swim.messages())
  if (route !== 'POST /messages')
    return answer(404, { error: `there is no ${route}; see GET /members, GET and POST /messages` })
  try {
    const pieces = []
    let bytes = 0
    for await (const piece of request) {
      bytes += piece.length
      if (bytes > MAX_BODY_BYTES)
        return answer(413, { error: `a message has at most ${MAX_BODY_BYTES} bytes` })
      pieces.push(piece)
    }
    const data = JSON.parse(Buffer.concat(pieces).toString())
    const message = `${id}/${boot}/${nextMessage++}`
    swim.broadcast(message, data, now())
    pump()
    return answer(200, { id: message })
  } catch (error) {
    if (error instanceof SyntaxError) return answer(400, { error: `the body is not JSON: ${error.message}` })
    response.destroy()
  }
})
web.on('error', fatal)
exchanges.on('error', fatal)

function fatal(error) {
  console.error(error.message)
  process.exit(1)
}

process.on('SIGTERM', () => {
  swim.leave(now())
  pump()
  setTimeout(() => process.exit(0), GOODBYE_MS)
})

// --- Start.

socket.bind(port)
exchanges.listen(port)
web.listen(Number(options.http))
swim.join(peers, now())
pump()
