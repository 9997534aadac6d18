/** PostgreSQL 15 from Debian's package as a system under test: one node, a fresh cluster of its own folder. */
import type { RealSystem } from 'wavetank'
import { PostgresClient } from './postgres-client.ts'

const BIN = '/usr/lib/postgresql/15/bin'

export const postgres: RealSystem = {
  name: 'PostgreSQL',
  needs: { [`${BIN}/postgres`]: 'postgresql-15' },
  ports: [5432],
  stopSignal: 'SIGINT',
  start: ({ folder, listen }) => ({
    command: `${BIN}/postgres`,
    args: [
      '-D',
      `${folder}/work/data`,
      '-h',
      listen,
      '-p',
      '5432',
      '-k',
      `${folder}/work`,
      '-c',
      'max_connections=60',
      '-c',
      'shared_buffers=32MB',
      '-c',
      'deadlock_timeout=50ms',
    ],
    prepare: [
      [`${BIN}/initdb`, '-D', `${folder}/work/data`, '-U', 'postgres', '-A', 'trust', '--no-sync'],
      ['sh', '-c', `echo 'host all all samenet trust' >> ${folder}/work/data/pg_hba.conf`],
    ],
    user: 'postgres',
  }),
  ready: async ({ listen }) => (await ask(listen, 'SELECT 1')) === '1',
  clock: async ({ listen }) =>
    Number(await ask(listen, 'SELECT extract(epoch FROM clock_timestamp()) * 1000')),
  primaries: async (nodes) => nodes.map(({ name }) => name),
}

/** The one value of an answer. */
async function ask(address: string, sql: string): Promise<string | null> {
  const client = await PostgresClient.open(address)
  try {
    return (await client.query(sql))[0][0]
  } finally {
    client.close()
  }
}
