/**
 * etcd as a system under test, and a client by its JSON gateway: plain HTTP. Debian has it as `etcd-server`.
 *
 * A request that gets no answer may have been done, so it throws; a read that gets none has done nothing.
 */
import { fail, type RealSystem } from 'wavetank'

const CLIENT_PORT = 2379
const PEER_PORT = 2380
const ANSWER_MS = 1500

export const etcd: RealSystem = {
  name: 'etcd',
  needs: { etcd: 'etcd-server' },
  ports: [CLIENT_PORT, PEER_PORT],
  start: ({ name, folder, listen, address, nodes }) => ({
    command: 'etcd',
    args: [
      '--name',
      name,
      '--data-dir',
      `${folder}/data`,
      '--listen-peer-urls',
      `http://${listen}:${PEER_PORT}`,
      '--listen-client-urls',
      `http://${listen}:${CLIENT_PORT}`,
      '--initial-advertise-peer-urls',
      `http://${address}:${PEER_PORT}`,
      '--advertise-client-urls',
      `http://${address}:${CLIENT_PORT}`,
      '--initial-cluster',
      nodes.map((node) => `${node.name}=http://${node.address}:${PEER_PORT}`).join(','),
      '--heartbeat-interval',
      '100',
      '--election-timeout',
      '500',
      '--logger',
      'zap',
    ],
  }),
  ready: async ({ listen }) => {
    const answer = await fetch(`http://${listen}:${CLIENT_PORT}/health`)
    return ((await answer.json()) as { health: string }).health === 'true'
  },
  primaries: async (nodes) => {
    const asked = nodes.map(async ({ name, listen }) => {
      const { header, leader } = await post<{ header: { member_id: string }; leader?: string }>(
        listen,
        '/v3/maintenance/status',
        {},
      )
      return header.member_id === leader ? [name] : []
    })
    return (await Promise.all(asked.map((each) => each.catch(() => [])))).flat()
  },
}

interface Range {
  readonly kvs?: readonly { readonly key: string; readonly value: string; readonly mod_revision: string }[]
}

/** A value with the revision that wrote it; a key that was never written has revision 0. */
export interface Versioned {
  readonly value: string | null
  readonly revision: string
}

const encode = (text: string): string => Buffer.from(text).toString('base64')

async function post<T>(host: string, path: string, body: unknown): Promise<T> {
  const answer = await fetch(`http://${host}:${CLIENT_PORT}${path}`, {
    method: 'POST',
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(ANSWER_MS),
  })
  const text = await answer.text()
  if (!answer.ok) throw new Error(`${answer.status}: ${text.trim()}`)
  return JSON.parse(text) as T
}

export class EtcdClient {
  readonly #host: string
  readonly #serializable: boolean

  /** `serializable` reads are answered by the node alone, without asking the others. */
  constructor(host: string, { serializable = false }: { serializable?: boolean } = {}) {
    this.#host = host
    this.#serializable = serializable
  }

  async get(key: string): Promise<string | null> {
    try {
      const { kvs = [] } = await post<Range>(this.#host, '/v3/kv/range', {
        key: encode(key),
        serializable: this.#serializable,
      })
      return kvs.length === 0 ? null : Buffer.from(kvs[0].value, 'base64').toString()
    } catch (error) {
      return fail((error as Error).message)
    }
  }

  async put(key: string, value: string): Promise<void> {
    await post(this.#host, '/v3/kv/put', { key: encode(key), value: encode(value) })
  }

  /** Puts `to` if the value is `from`; null means that there is none. */
  async cas(key: string, from: string | null, to: string): Promise<boolean> {
    const compare =
      from === null
        ? { key: encode(key), target: 'CREATE', create_revision: '0' }
        : { key: encode(key), target: 'VALUE', value: encode(from) }
    const { succeeded = false } = await post<{ succeeded?: boolean }>(this.#host, '/v3/kv/txn', {
      compare: [{ ...compare, result: 'EQUAL' }],
      success: [{ requestPut: { key: encode(key), value: encode(to) } }],
    })
    return succeeded
  }

  /** All keys that begin with a prefix, as one node knows them at one moment. */
  async keys(prefix: string): Promise<string[]> {
    const end = `${prefix.slice(0, -1)}${String.fromCharCode(prefix.charCodeAt(prefix.length - 1) + 1)}`
    const { kvs = [] } = await post<Range>(this.#host, '/v3/kv/range', {
      key: encode(prefix),
      range_end: encode(end),
      keys_only: true,
    })
    return kvs.map(({ key }) => Buffer.from(key, 'base64').toString().slice(prefix.length))
  }

  /** Several keys at one moment. */
  async snapshot(keys: readonly string[]): Promise<Map<string, Versioned>> {
    const { responses = [] } = await post<{ responses?: readonly { response_range: Range }[] }>(
      this.#host,
      '/v3/kv/txn',
      { success: keys.map((key) => ({ requestRange: { key: encode(key) } })) },
    )
    return new Map(
      keys.map((key, index): [string, Versioned] => {
        const [found] = responses[index].response_range.kvs ?? []
        if (found === undefined) return [key, { value: null, revision: '0' }]
        const value = Buffer.from(found.value, 'base64').toString()
        return [key, { value, revision: found.mod_revision }]
      }),
    )
  }

  /** Puts all of these values if no key has changed since a snapshot. */
  async putUnchanged(
    seen: ReadonlyMap<string, Versioned>,
    puts: ReadonlyMap<string, string>,
  ): Promise<boolean> {
    const { succeeded = false } = await post<{ succeeded?: boolean }>(this.#host, '/v3/kv/txn', {
      compare: [...seen].map(([key, { revision }]) => ({
        key: encode(key),
        target: 'MOD',
        mod_revision: revision,
        result: 'EQUAL',
      })),
      success: [...puts].map(([key, value]) => ({ requestPut: { key: encode(key), value: encode(value) } })),
    })
    return succeeded
  }
}
