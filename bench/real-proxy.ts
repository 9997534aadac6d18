/**
 * What the proxy of real clusters costs: processor time per message and per gigabyte on a link without a fault, and the time
 * that it adds to a round trip. `node --import ./scripts/typescript.mjs bench/real-proxy.ts`. The node and its caller are
 * processes of their own; the time on the clock says something on a quiet machine only. As in a run of three nodes, nine files
 * of outputs are looked at before anything is passed on.
 */
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Outputs } from '../src/real/cluster/outputs.ts'
import { AddressPlan } from '../src/real/proxy/address-plan.ts'
import { Proxy } from '../src/real/proxy/proxy.ts'

const ROUND_TRIPS = 20_000
const GIGABYTES = 4

/** Sends back every message of 100 bytes; swallows a connection that begins with larger ones, and says when it has ended. */
const NODE = `
const { createServer } = require('node:net')
createServer((socket) => {
  let got = 0
  socket.on('data', (bytes) => {
    got += bytes.length
    if (bytes.length === 100) socket.write(bytes)
  })
  socket.on('end', () => socket.end(String(got)))
}).listen(7000, process.argv[1], () => console.log('listens'))
`

const CALLER = `
const { connect } = require('node:net')
const [, host, what, count] = process.argv
const socket = connect(7000, host)
socket.setNoDelay(true)
if (what === 'trips') {
  const times = []
  let begun = process.hrtime.bigint()
  socket.on('data', () => {
    times.push(Number(process.hrtime.bigint() - begun) / 1000)
    if (times.length === Number(count)) {
      times.sort((a, b) => a - b)
      console.log(times[times.length >> 1])
      process.exit()
    }
    begun = process.hrtime.bigint()
    socket.write(Buffer.alloc(100))
  })
  socket.on('connect', () => socket.write(Buffer.alloc(100)))
} else {
  const begun = Date.now()
  const block = Buffer.alloc(1 << 20)
  let left = Number(count) * 1000
  const send = () => {
    while (left > 0) if ((left--, !socket.write(block))) return void socket.once('drain', send)
    socket.end()
  }
  send()
  socket.on('data', (bytes) => (console.log((Date.now() - begun) / 1000), process.exit()))
}
`

function start(program: string, ...args: string[]): ChildProcess & { readonly said: Promise<string> } {
  const child = spawn(process.execPath, ['-e', program, ...args], { stdio: ['ignore', 'pipe', 'inherit'] })
  const said = once(child.stdout, 'data').then(([bytes]) => String(bytes).trim())
  return Object.assign(child, { said })
}

const folder = mkdtempSync(join(tmpdir(), 'wavetank-bench-'))
const outputs = new Outputs()
for (const name of 'abcdefghi') {
  writeFileSync(join(folder, name), '')
  outputs.follow('a', join(folder, name), () => {})
}
const plan = await AddressPlan.take()
const proxy = new Proxy({
  plan,
  nodes: ['a', 'b'],
  random: Math.random,
  shared: false,
  owner: async () => null,
  saw: () => outputs.drain(),
})
const node = start(NODE, plan.own(2))
await node.said
await proxy.open('b', 7000, 'tcp')

/** What a caller says, and microseconds of this process's time meanwhile. */
async function measure(host: string, what: string, count: number): Promise<readonly [number, number]> {
  const before = process.cpuUsage()
  const said = Number(await start(CALLER, host, what, String(count)).said)
  const { user, system } = process.cpuUsage(before)
  return [said, user + system]
}

const [direct] = await measure(plan.own(2), 'trips', ROUND_TRIPS)
const [proxied, tripUs] = await measure(plan.seen(1, 2), 'trips', ROUND_TRIPS)
const perMessage = tripUs / ROUND_TRIPS / 2
console.log(`message      ${perMessage.toFixed(1)} µs of processor time`)
console.log(
  `round trip   ${proxied.toFixed(0)} µs, ${direct.toFixed(0)} µs without the proxy: ${((proxied - direct) / 2).toFixed(0)} µs added per message`,
)
const [seconds, bulkUs] = await measure(plan.seen(1, 2), 'bulk', GIGABYTES)
const size = (GIGABYTES * 1000 * 2 ** 20) / 1e9
console.log(
  `bulk         ${(size / (bulkUs / 1e6)).toFixed(2)} GB per second of processor time, ${(size / seconds).toFixed(2)} GB/s`,
)
node.kill()
proxy.end()
plan.release()
outputs.close()
rmSync(folder, { recursive: true })
