const Gossipmonger = require('gossipmonger')
const TcpTransport = require('gossipmonger-tcp-transport')
const { setTimeout: sleep } = require('node:timers/promises')

const seed = { id: 'n0', transport: { host: '127.0.0.1', port: 9742 } }

async function main() {
  const nodes = []
  for (let i = 0; i < 4; i++) {
    const place = { host: '127.0.0.1', port: 9742 + i }
    const transport = new TcpTransport(place)
    await new Promise((resolve) => transport.listen(resolve))
    const node = new Gossipmonger(
      { id: `n${i}`, transport: place },
      { seeds: i === 0 ? [] : [seed], transport, GOSSIP_INTERVAL: 50, DEAD_PEER_PHI: 8 },
    )
    node.on('error', () => {})
    node.gossip()
    nodes.push(node)
  }
  nodes.forEach((node, i) => node.update('color', ['red', 'green', 'blue', 'black'][i]))
  await sleep(3000)
  const show = (node) =>
    node.storage
      .livePeers()
      .map(({ id, data }) => `${id}=${data.color?.[0]}`)
      .sort()
  for (const node of nodes) console.log(node.localPeer.id, show(node))
  console.log('done')
  process.exit(0)
}
main()
