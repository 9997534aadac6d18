/**
 * A small system that survives every fault family inside its budget: a counter on three processes. The first one counts
 * up; it announces a number when its own disk has it synced (file, rename, folder) and one peer has it too. At a boot it
 * takes the greatest number that its disk and both of its peers know, so that one disk may lie; messages carry a
 * checksum, time-outs and retries cover the rest. Numbers only grow, so repeated and late messages do no harm.
 *
 * It talks over one TCP connection per peer, which it makes again now and then, and sends its number as datagrams as
 * well; it reads its file back, and scribbles on a file from which it never reads: so every fault has something to hit.
 */
import type * as Net from 'node:net'
import { event, type Invariant, type ProcessIdentity } from '../../src/index.ts'
import type { ProcessContext } from '../../src/node/index.ts'
import { datagrams, every, files, PAGE_BYTES, sleep, type Toy } from './toy.ts'

const PORT = 80
const ANSWER_MS = 200

function sealed(kind: string, n: number): string {
  const text = `${kind} ${n}`
  let sum = 7
  for (const char of text) sum = (sum * 31 + char.charCodeAt(0)) % 1_000_003
  return `${text} ${sum}`
}

/** The number of a message that nothing has changed on its way; null for any other. */
function opened(line: string, kind: string): number | null {
  const n = Number(line.split(' ')[1])
  return sealed(kind, n) === line ? n : null
}

/** What a process knows: the greatest number it has heard of, and the disk behind it. */
class Memory {
  known = 0
  private greatest = 0
  private keeping = Promise.resolve(true)
  private readonly node: ProcessContext

  constructor(node: ProcessContext) {
    this.node = node
  }

  /** Disks fail now and then; a process that cannot read its disk has only its peers. */
  async recall(): Promise<void> {
    const text = await files(this.node)
      .readFile('/count', 'utf8')
      .catch(() => '')
    this.known = Math.max(this.known, opened(text, 'disk') ?? 0)
  }

  /** Writes and renames what matters to nothing, and syncs none of it. */
  async scribble(n: number): Promise<void> {
    const fs = files(this.node)
    try {
      const file = await fs.open('/scratch', n === 1 ? 'w+' : 'r+').catch(() => fs.open('/scratch', 'w+'))
      for (let page = 0; page < 3; page++)
        await file.write(Buffer.alloc(PAGE_BYTES, n % 250), 0, PAGE_BYTES, page * PAGE_BYTES)
      if (n % 8 === 1) await file.sync()
      await file.close()
      await fs.rename(`/name${n % 2}`, `/name${(n + 1) % 2}`).catch(() => fs.writeFile(`/name${n % 2}`, ''))
    } catch {
      // It matters to nothing.
    }
  }

  /** Whether the number, or a greater one, is on the medium with its name. One at a time: no older one may come later. */
  keep(n: number): Promise<boolean> {
    const kept = this.keeping.then(() => this.put((this.greatest = Math.max(this.greatest, n))))
    this.keeping = kept
    return kept
  }

  private async put(n: number): Promise<boolean> {
    const fs = files(this.node)
    try {
      await fs.writeFile('/count.new', sealed('disk', n), { flush: true })
      const file = await fs.open('/count.new', 'r+')
      await file.sync().finally(() => file.close())
      await fs.rename('/count.new', '/count')
      const root = await fs.open('/', 'r')
      await root.sync().finally(() => root.close())
      return true
    } catch {
      return false
    }
  }
}

/** A connection to a peer that is made again when it does not answer. */
class Line {
  private socket: Net.Socket | null = null
  private asked = 0
  private waiting: ((answer: string | null) => void) | null = null
  private readonly node: ProcessContext
  private readonly host: string

  constructor(node: ProcessContext, host: string) {
    this.node = node
    this.host = host
  }

  /** The answer to a question, or null if none came in time. */
  async ask(question: string): Promise<string | null> {
    if (++this.asked % 10 === 0) this.hangUp()
    this.socket ??= this.connect()
    const { socket } = this
    const answer = await new Promise<string | null>((resolve) => {
      this.waiting = resolve
      socket.write(`${question}\n`)
      this.node.globalThis.setTimeout(() => resolve(null), ANSWER_MS)
    })
    if (answer === null) this.hangUp()
    return answer
  }

  private hangUp(): void {
    this.socket?.destroy()
    this.socket = null
  }

  private connect(): Net.Socket {
    const socket = (this.node.require('node:net') as typeof Net).connect(PORT, this.host)
    let text = ''
    socket.on('error', () => {})
    socket.on('data', (data) => {
      text += String(data)
      if (!text.includes('\n')) return
      this.waiting?.(text.split('\n', 1)[0])
      text = ''
    })
    return socket
  }
}

function serve(node: ProcessContext, memory: Memory): void {
  const net = node.require('node:net') as typeof Net
  const server = net.createServer((socket) => {
    let text = ''
    socket.on('error', () => {})
    socket.on('data', (data) => {
      text += String(data)
      const lines = text.split('\n')
      text = lines.pop()!
      for (const line of lines) {
        const put = opened(line, 'put')
        if (put !== null) memory.known = Math.max(memory.known, put)
        if (put !== null || opened(line, 'ask') !== null) socket.write(`${sealed('have', memory.known)}\n`)
      }
    })
  })
  server.on('error', () => {})
  server.listen(PORT)
}

async function count(node: ProcessContext, memory: Memory, lines: readonly Line[]): Promise<void> {
  for (;;) {
    const n = memory.known + 1
    const [kept, ...heard] = await Promise.all([
      memory.keep(n),
      ...lines.map(async (line) => opened((await line.ask(sealed('put', n))) ?? '', 'have')),
    ])
    if (kept && heard.some((known) => known !== null && known >= n)) {
      memory.known = Math.max(memory.known, n)
      event('counted', n)
    }
    await sleep(node, 30)
  }
}

/** The greatest number that both peers know must be known before anything is counted. */
async function learn(node: ProcessContext, memory: Memory, lines: readonly Line[]): Promise<void> {
  for (const line of lines) {
    for (;;) {
      const known = opened((await line.ask(sealed('ask', 0))) ?? '', 'have')
      if (known !== null) {
        memory.known = Math.max(memory.known, known)
        break
      }
      await sleep(node, 50)
    }
  }
}

/** Every process has on its own disk what it knows, as far as its disk lets it. */
async function keepUp(node: ProcessContext, memory: Memory): Promise<void> {
  for (let n = 1; ; n++) {
    await memory.scribble(n)
    if (n % 5 === 0) await memory.keep(memory.known)
    await memory.recall()
    await sleep(node, 20)
  }
}

async function live({ index, peers }: ProcessIdentity, node: ProcessContext): Promise<void> {
  const memory = new Memory(node)
  await memory.recall()
  serve(node, memory)
  const lines = peers.map((host) => new Line(node, host))
  const beacon = datagrams(node, (text) => {
    memory.known = Math.max(memory.known, opened(text, 'beacon') ?? 0)
  })
  every(node, 25, () => beacon(peers[0], sealed('beacon', memory.known)))
  every(node, 20, () => node.globalThis.Date.now())
  await learn(node, memory, lines)
  void keepUp(node, memory)
  if (index !== 0) return
  event('learned', memory.known)
  await count(node, memory, lines)
}

function neverForgets(): Invariant {
  let counted = 0
  return ({ events }) => {
    for (const { name, data } of events) {
      if (name === 'counted') counted = Math.max(counted, data as number)
      else if (name === 'learned' && (data as number) < counted)
        return `it knows ${data as number} after ${counted}`
    }
    return true
  }
}

/** As a toy whose assumption no family breaks. */
export const SURVIVOR: Omit<Toy, 'family'> = {
  assumption: 'what was announced is never forgotten',
  budget: { lyingDisks: 1, byzantineLinks: true },
  count: 3,
  run: (process, node) => void live(process, node),
  invariant: neverForgets,
  variants: {
    'next version': { run: (process, node) => void live(process, node) },
    'other settings': { env: { MODE: 'other' } },
  },
  more: { membership: { leave: () => {}, join: () => {} } },
}
