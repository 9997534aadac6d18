/**
 * Transactions of reads and appends to lists in etcd: a snapshot of all keys, then a write that happens only if none of
 * them has changed. They are strictly serializable.
 *
 *     npx wavetank real test etcd-append --nodes n1,n2,n3 --nemesis kill,partition --time-limit 20
 */
import { fail, simulation } from 'wavetank'
import { listAppend, type MicroOperation } from 'wavetank/workloads'
import { etcd, EtcdClient } from './etcd.ts'

async function transact(client: EtcdClient, wanted: readonly MicroOperation[]): Promise<MicroOperation[]> {
  const keys = [...new Set(wanted.map(([, key]) => `list/${key}`))]
  const seen = await client.snapshot(keys).catch((error: Error) => fail(error.message)) // nothing is done yet
  const lists = new Map(
    [...seen].map(([key, { value }]) => [key, value === null ? null : (JSON.parse(value) as unknown[])]),
  )
  const written = new Map<string, string>()
  const done = wanted.map(([kind, key, value]): MicroOperation => {
    const name = `list/${key}`
    const list = lists.get(name) ?? null
    if (kind === 'r') return ['r', key, list]
    const longer = [...(list ?? []), value]
    lists.set(name, longer)
    written.set(name, JSON.stringify(longer))
    return [kind, key, value]
  })
  if (written.size > 0 && !(await client.putUnchanged(seen, written))) fail('a key has changed meanwhile')
  return done
}

export default simulation('etcd-append', {
  processes: { etcd: { system: etcd, count: 3 } },
  workload: listAppend({
    clients: 6,
    connect: ({ hosts, client }) => new EtcdClient(hosts.etcd[client % hosts.etcd.length]),
    txn: transact,
  }),
})
