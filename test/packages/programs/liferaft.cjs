const LifeRaft = require('liferaft')
const Log = require('liferaft/log')
const memdown = require('memdown')
const { setTimeout: sleep } = require('node:timers/promises')

/** Rafts that talk through memory. */
class Raft extends LifeRaft {
  write(packet, callback) {
    setTimeout(() => {
      const peer = nodes.find(({ address }) => address === this.address)
      peer.emit('data', packet, (data) => callback(undefined, data))
    }, 5)
  }
}

const names = ['a', 'b', 'c']
const nodes = names.map(
  (name) =>
    new Raft(name, {
      'election min': '2 second',
      'election max': '4 second',
      heartbeat: '50 millisecond',
      Log,
      adapter: memdown,
      path: `/raft/${name}`,
    }),
)
for (const node of nodes) for (const name of names) if (name !== node.address) node.join(name)

async function main() {
  const leader = await new Promise((resolve) =>
    nodes.forEach((node) => node.once('leader', () => resolve(node))),
  )
  await sleep(300)
  console.log('leaders', nodes.filter((node) => node.state === LifeRaft.LEADER).length)
  console.log(
    'agreed',
    nodes.every((node) => node.leader === leader.address),
  )
  const committed = nodes.map((node) => new Promise((resolve) => node.once('commit', resolve)))
  await leader.command({ set: 'x', to: 1 })
  console.log('committed', await Promise.all(committed))
  for (const node of nodes) node.end()
  console.log('ended')
}
main()
