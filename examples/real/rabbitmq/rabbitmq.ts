/**
 * RabbitMQ as a system under test: one broker, from Debian's package `rabbitmq-server`. Erlang's port mapper and the
 * ports between brokers are kept on the node's own address, so that runs do not meet.
 */
import { connect } from 'node:net'
import type { RealSystem } from 'wavetank'

export const PORT = 5672
const PROGRAM = '/usr/lib/rabbitmq/bin/rabbitmq-server'

export const rabbitmq: RealSystem = {
  name: 'RabbitMQ',
  needs: { [PROGRAM]: 'rabbitmq-server' },
  ports: [PORT],
  start: ({ name, folder, listen }) => ({
    // The broker would start the mapper as a daemon, which no fault of the node reaches.
    command: 'sh',
    args: ['-c', `epmd & until epmd -names > /dev/null 2>&1; do sleep 0.1; done; exec ${PROGRAM}`],
    user: 'rabbitmq',
    env: {
      HOME: `${folder}/work`,
      RABBITMQ_NODENAME: `${name}@localhost`,
      RABBITMQ_NODE_IP_ADDRESS: listen,
      RABBITMQ_NODE_PORT: String(PORT),
      RABBITMQ_MNESIA_BASE: `${folder}/work`,
      RABBITMQ_LOG_BASE: `${folder}/work`,
      RABBITMQ_LOGS: '-',
      RABBITMQ_PID_FILE: `${folder}/work/pid`,
      RABBITMQ_ENABLED_PLUGINS_FILE: `${folder}/plugins`,
      RABBITMQ_CONFIG_FILE: `${folder}/rabbitmq.conf`,
      RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS: `-kernel inet_dist_use_interface {${listen.replaceAll('.', ',')}}`,
      ERL_EPMD_ADDRESS: listen,
      ERL_EPMD_PORT: String(mapperPort(listen)),
    },
    files: { 'rabbitmq.conf': 'loopback_users = none\n', plugins: '[].\n' },
  }),
  ready: ({ listen }) => greets(listen),
  primaries: async (nodes) => nodes.map(({ name }) => name),
}

/** The port mapper listens on 127.0.0.1 as well, whatever it is asked: no two runs may use one port. */
function mapperPort(listen: string): number {
  const [, second, third, fourth] = listen.split('.').map(Number)
  return 20_000 + ((second * 251 + third * 17 + fourth) % 20_000)
}

/** Whether a broker speaks AMQP there: it answers the protocol's greeting. */
function greets(host: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(PORT, host, () => socket.write('AMQP\0\0\x09\x01'))
    const end = (answer: boolean): void => {
      socket.destroy()
      resolve(answer)
    }
    socket.setTimeout(1000, () => end(false))
    socket.once('error', () => end(false))
    socket.once('data', (bytes) => end(bytes[0] === 1))
  })
}
