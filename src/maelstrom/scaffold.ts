/**
 * The first node of a workload: it answers every request of the workload, is right on one node, and says what more nodes
 * need. `wavetank maelstrom new` writes it.
 */
import type { WorkloadName } from './workloads/index.ts'

interface Scaffold {
  /** What the node is, and what it lacks. */
  readonly about: string
  readonly handlers: string
  /** Arguments of the first test, after `-w` and `--bin`. */
  readonly test: string
}

const ONE = '--node-count 1 --time-limit 10'
const IN_MEMORY_KEYS = `const values = new Map<string, unknown>()`

const SCAFFOLDS: Readonly<Record<WorkloadName, Scaffold>> = {
  echo: {
    about: 'A node that echoes. It is right on any number of nodes.',
    handlers: `node.on('echo', ({ body }) => ({ type: 'echo_ok', echo: body.echo }))`,
    test: ONE,
  },
  'unique-ids': {
    about: 'A node that makes ids. The name of the node is part of each, so that no two nodes make the same.',
    handlers: `let next = 0

node.on('generate', () => ({ type: 'generate_ok', id: \`\${node.id}-\${next++}\` }))`,
    test: '--node-count 3 --rate 100 --time-limit 10 --availability total --nemesis partition',
  },
  broadcast: {
    about:
      'A node that keeps the messages it hears. On more than one node it must pass them on to its neighbours, again and again until they acknowledge (`node.rpc` with `retries`).',
    handlers: `const messages = new Set<unknown>()
let neighbours: readonly string[] = []

node.on('topology', ({ body }) => {
  neighbours = (body.topology as Record<string, string[]>)[node.id] ?? []
  node.log(\`my neighbours: \${neighbours.join(' ')}\`)
  return { type: 'topology_ok' }
})
node.on('broadcast', ({ body }) => {
  messages.add(body.message)
  return { type: 'broadcast_ok' }
})
node.on('read', () => ({ type: 'read_ok', messages: [...messages] }))`,
    test: '--node-count 1 --time-limit 10 --rate 10',
  },
  'g-set': {
    about:
      'A node with a set that only grows. On more than one node it must send its set to the others now and then.',
    handlers: `const elements = new Set<unknown>()

node.on('add', ({ body }) => {
  elements.add(body.element)
  return { type: 'add_ok' }
})
node.on('read', () => ({ type: 'read_ok', value: [...elements] }))`,
    test: ONE,
  },
  'g-counter': counter('A node with a counter that only grows.'),
  'pn-counter': counter('A node with a counter.'),
  'lin-kv': {
    about:
      'A node with a key-value store in memory. On more than one node all must agree on one order, as with Raft; `node.kv("lin-kv")` is a store that has one.',
    handlers: `${IN_MEMORY_KEYS}
const KEY_DOES_NOT_EXIST = 20
const PRECONDITION_FAILED = 22

function valueOf(key: string): unknown {
  if (!values.has(key)) throw new MaelstromError(KEY_DOES_NOT_EXIST, \`there is no key \${key}\`)
  return values.get(key)
}

node.on('read', ({ body }) => ({ type: 'read_ok', value: valueOf(JSON.stringify(body.key)) }))
node.on('write', ({ body }) => {
  values.set(JSON.stringify(body.key), body.value)
  return { type: 'write_ok' }
})
node.on('cas', ({ body }) => {
  const key = JSON.stringify(body.key)
  if (JSON.stringify(valueOf(key)) !== JSON.stringify(body.from))
    throw new MaelstromError(PRECONDITION_FAILED, \`\${key} is not \${JSON.stringify(body.from)}\`)
  values.set(key, body.to)
  return { type: 'cas_ok' }
})`,
    test: '--node-count 1 --concurrency 2n --time-limit 10 --rate 10',
  },
  kafka: {
    about:
      'A node with logs in memory. On more than one node they must share the logs: by an owner for each key, or in `node.kv("lin-kv")`.',
    handlers: `const logs = new Map<string, unknown[]>()
const committed = new Map<string, number>()

node.on('send', ({ body }) => {
  const key = body.key as string
  const log = logs.get(key) ?? []
  logs.set(key, log)
  return { type: 'send_ok', offset: log.push(body.msg) - 1 }
})
node.on('poll', ({ body }) => {
  const polled = Object.entries(body.offsets as Record<string, number>).map(([key, from]) => {
    const messages = (logs.get(key) ?? []).slice(from)
    return [key, messages.map((message, i) => [from + i, message])]
  })
  return { type: 'poll_ok', msgs: Object.fromEntries(polled) }
})
node.on('commit_offsets', ({ body }) => {
  for (const [key, offset] of Object.entries(body.offsets as Record<string, number>))
    committed.set(key, Math.max(committed.get(key) ?? 0, offset))
  return { type: 'commit_offsets_ok' }
})
node.on('list_committed_offsets', ({ body }) => {
  const known = (body.keys as string[]).filter((key) => committed.has(key))
  const offsets = Object.fromEntries(known.map((key) => [key, committed.get(key)]))
  return { type: 'list_committed_offsets_ok', offsets }
})`,
    test: '--node-count 1 --concurrency 2n --time-limit 10 --rate 100',
  },
  'txn-list-append': {
    about:
      'A node with lists in memory, and transactions over them. On more than one node a transaction must change all its keys at once: keep one root in `node.kv("lin-kv")` and swap it.',
    handlers: transactions(
      'append',
      '[...((values.get(key) ?? []) as unknown[]), value]',
      'values.get(key) ?? []',
    ),
    test: '--node-count 1 --concurrency 2n --time-limit 10 --rate 100',
  },
  'txn-rw-register': {
    about:
      'A node with registers in memory, and transactions over them. On more than one node it must send its writes to the others; what else depends on the consistency model.',
    handlers: transactions('w', 'value', 'values.get(key) ?? null'),
    test: '--node-count 1 --concurrency 2n --time-limit 10 --rate 100',
  },
}

function counter(about: string): Scaffold {
  return {
    about: `${about} On more than one node each must keep its own sum, and learn those of the others: by messages, or in \`node.kv("seq-kv")\`.`,
    handlers: `let sum = 0

node.on('add', ({ body }) => {
  sum += body.delta as number
  return { type: 'add_ok' }
})
node.on('read', () => ({ type: 'read_ok', value: sum }))`,
    test: ONE,
  }
}

function transactions(write: string, written: string, read: string): string {
  return `${IN_MEMORY_KEYS}

node.on('txn', ({ body }) => {
  const txn = (body.txn as [string, unknown, unknown][]).map(([f, name, value]) => {
    const key = JSON.stringify(name)
    if (f === 'r') return [f, name, ${read}]
    values.set(key, ${written})
    return ['${write}', name, value]
  })
  return { type: 'txn_ok', txn }
})`
}

/** The text of a node in a file of this name. */
export function scaffold(workload: WorkloadName, file: string): string {
  const { about, handlers } = SCAFFOLDS[workload]
  const names = handlers.includes('MaelstromError') ? 'createNode, MaelstromError' : 'createNode'
  return `/**
${wrapped(about)}
 *
 *   ${firstTest(workload, file)}
 *
 * What a handler returns is the reply. Messages go to stdout, so write logs with \`node.log\`.
 */
import { ${names} } from 'wavetank/maelstrom'

const node = createNode()
${handlers}
`
}

export function firstTest(workload: WorkloadName, file: string): string {
  return `npx wavetank maelstrom test -w ${workload} --bin ./${file} ${SCAFFOLDS[workload].test}`
}

const COLUMNS = 110

/** Lines of a comment. */
function wrapped(text: string): string {
  const lines = ['']
  for (const word of text.split(' ')) {
    const line = lines.at(-1)!
    if (line.length + word.length >= COLUMNS) lines.push(word)
    else lines[lines.length - 1] = line === '' ? word : `${line} ${word}`
  }
  return lines.map((line) => ` * ${line}`).join('\n')
}
