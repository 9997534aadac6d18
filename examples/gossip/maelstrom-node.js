#!/usr/bin/env node
/**
 * The same protocol as a node of Maelstrom's broadcast workload: swim.js behind `wavetank/maelstrom`. A member's address
 * is its node id, and a packet is a message. The topology that the test suggests is not used: members gossip at random.
 *
 *   npx wavetank maelstrom test -w broadcast --bin examples/gossip/maelstrom-node.js --nemesis partition
 */
import { createNode } from 'wavetank/maelstrom'
import { whatIsWrong } from './packets.js'
import { Swim } from './swim.js'

/** Short intervals: the test waits 10 s for a healed network to agree. */
const CONFIG = { probeIntervalMs: 500, probeTimeoutMs: 250, gossipIntervalMs: 100, pushPullIntervalMs: 1_000 }

const now = () => performance.now()
const node = createNode()
/** @type {Swim} */
let swim
/** @type {NodeJS.Timeout | undefined} */
let timer

function pump() {
  for (let packet = swim.pollTransmit(); packet !== null; packet = swim.pollTransmit())
    node.send(packet.address, { type: 'swim', packet: packet.message })
  while (swim.pollEvent() !== null); // beliefs and deliveries are asked for, not logged
  clearTimeout(timer)
  timer = setTimeout(
    () => {
      swim.handleTimeout(now())
      pump()
    },
    Math.max(1, Math.ceil(swim.pollTimeout() - now())),
  )
}

node.onInit(() => {
  swim = new Swim({ id: node.id, address: node.id, nowMs: now(), config: CONFIG })
  swim.join(node.ids, now())
  pump()
})
node.on('swim', ({ body }) => {
  if (swim === undefined || whatIsWrong(body.packet) !== null) return
  swim.handleInput(body.packet, now())
  pump()
})
node.on('topology', () => ({ type: 'topology_ok' }))
node.on('broadcast', ({ body }) => {
  swim.broadcast(`message ${body.message}`, body.message, now())
  pump()
  return { type: 'broadcast_ok' }
})
node.on('read', () => ({ type: 'read_ok', messages: swim.messages().map(({ data }) => data) }))
