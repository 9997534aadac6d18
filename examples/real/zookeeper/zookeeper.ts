/**
 * ZooKeeper as a system under test: an ensemble from Debian's package `zookeeper`, run by Java directly. Every server
 * binds its own address and knows the others by those that they announce.
 */
import { connect } from 'node:net'
import type { RealSystem } from 'wavetank'
import { PORT } from './zookeeper-client.ts'

const QUORUM_PORT = 2888
const ELECTION_PORT = 3888
const JAR = '/usr/share/java/zookeeper.jar'

export const zookeeper: RealSystem = {
  name: 'ZooKeeper',
  needs: { java: 'default-jre-headless', '/usr/share/zookeeper/bin/zkServer.sh': 'zookeeper' },
  ports: [PORT, QUORUM_PORT, ELECTION_PORT],
  start: ({ folder, listen, index, nodes }) => ({
    command: 'java',
    args: [
      '-Xmx128m',
      '-XX:TieredStopAtLevel=1', // it starts faster, and does little
      '-Dzookeeper.4lw.commands.whitelist=srvr',
      '-Dzookeeper.admin.enableServer=false',
      '-cp',
      `${folder}:${JAR}`,
      'org.apache.zookeeper.server.quorum.QuorumPeerMain',
      `${folder}/zoo.cfg`,
    ],
    files: {
      'zoo.cfg': [
        'tickTime=500',
        'initLimit=20',
        'syncLimit=8',
        `dataDir=${folder}/work`,
        `clientPortAddress=${listen}`,
        `clientPort=${PORT}`,
        ...nodes.map(
          ({ address }, number) =>
            `server.${number + 1}=${number === index ? listen : address}:${QUORUM_PORT}:${ELECTION_PORT}`,
        ),
        '',
      ].join('\n'),
      'work/myid': `${index + 1}\n`,
    },
  }),
  ready: async ({ listen }) => /^Mode: (leader|follower|standalone)$/m.test(await srvr(listen)),
  primaries: async (nodes) => {
    const asked = nodes.map(async ({ name, listen }) =>
      /^Mode: (leader|standalone)$/m.test(await srvr(listen)) ? [name] : [],
    )
    return (await Promise.all(asked.map((each) => each.catch(() => [])))).flat()
  },
}

/** What a server says of itself. */
function srvr(host: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = ''
    const socket = connect(PORT, host, () => socket.write('srvr'))
    socket.setEncoding('utf8')
    socket.setTimeout(1000, () => socket.destroy(new Error('no answer')))
    socket.on('data', (more) => (text += String(more)))
    socket.once('error', reject)
    socket.once('close', () => resolve(text))
  })
}
