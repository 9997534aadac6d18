/**
 * Toy systems, one per fault family: each rests on one assumption that only its own family breaks, and its kin where
 * another family does the same among other things. They are the negative controls of the fault catalogue: a family that
 * does nothing would leave its toy whole, and one that does more than it says would break the toys of others.
 */
import type * as Net from 'node:net'
import { event } from '../../src/index.ts'
import {
  broken,
  clock,
  datagrams,
  every,
  files,
  filing,
  nowMs,
  PAGE_BYTES,
  pauses,
  stream,
  type Toy,
} from './toy.ts'
import { CLUSTER_TOYS } from './toys/cluster.ts'
import { DISK_TOYS } from './toys/disk.ts'
import { NETWORK_TOYS } from './toys/network.ts'
import { PROCESS_TOYS } from './toys/process.ts'

const LONELY_MS = 700

const partition: Toy = {
  family: 'partition',
  kin: ['clog', 'swizzle'],
  assumption: 'never are both without news of each other',
  count: 2,
  run: ({ peers }, node) => {
    let heard = nowMs(node)
    let lonely = false
    event('lonely', false)
    const send = datagrams(node, () => void (heard = nowMs(node)))
    pauses(node, () => void (heard = nowMs(node)))
    every(node, 20, () => {
      send(peers[0], '.')
      const now = nowMs(node) - heard > LONELY_MS
      if (now !== lonely) event('lonely', (lonely = now))
    })
  },
  invariant: () => {
    const lonely = new Map<string, boolean>()
    return ({ events }) => {
      for (const { name, source, data } of events) {
        if (name === 'lonely') lonely.set(source, data as boolean)
        const fault =
          name === 'fault' ? (data as { fault: { group: string; targets: string[] } }).fault : null
        if (fault?.group === 'process') for (const target of fault.targets) lonely.set(target, false)
      }
      return [...lonely.values()].filter(Boolean).length < 2
    }
  },
}

const oneWayCut: Toy = {
  family: 'one-way-cut',
  assumption: 'whom I hear hears me',
  count: 2,
  run: ({ peers }, node) => {
    let heard = nowMs(node)
    let steadySince = nowMs(node)
    const send = datagrams(node, (text) => {
      const now = nowMs(node)
      if (now - heard > 150) steadySince = now
      heard = now
      if (Number(text) > LONELY_MS && now - steadySince > 600) broken('it says that it does not hear me')
    })
    every(node, 20, () => send(peers[0], String(Math.round(nowMs(node) - heard))))
  },
}

const slowLink: Toy = {
  family: 'slow-link',
  kin: ['slow-pairs'],
  assumption: 'an answer takes less than nine milliseconds, time and again',
  count: 2,
  run: ({ index, peers }, node) => {
    const sent = new Map<string, number>()
    let trips: { seq: number; ms: number }[] = []
    const send = datagrams(node, (text) => {
      if (index === 1) return send(peers[0], text)
      const seq = text.charCodeAt(0)
      trips = [...trips, { seq, ms: nowMs(node) - sent.get(text)! }].slice(-5)
      const times = trips.map(({ ms }) => ms)
      const inARow =
        trips.length === 5 && trips.every((trip, i) => i === 0 || trip.seq === trips[i - 1].seq + 1)
      if (inARow && Math.min(...times) > 9 && Math.max(...times) - Math.min(...times) < 3) broken(`${times}`)
      return undefined
    })
    let seq = 0
    if (index === 1) return
    every(node, 50, () => {
      const text = String.fromCharCode(32 + (++seq % 90))
      sent.set(text, nowMs(node))
      send(peers[0], text)
    })
  },
}

const loss: Toy = {
  family: 'loss',
  assumption: 'no single message is missing among its neighbours',
  count: 2,
  run: ({ index, peers }, node) => {
    const epoch = Math.round(nowMs(node) * 1000)
    const got = new Set<string>()
    const send = datagrams(node, (text) => {
      got.add(text)
      const [sender, seq] = text.split(' ').map(Number)
      node.globalThis.setTimeout(() => {
        const has = (offset: number): boolean => got.has(`${sender} ${seq - 2 + offset}`)
        if (has(-2) && has(-1) && !has(0) && has(1)) broken(`message ${seq - 2} is missing`)
      }, 2500) // a spike takes two seconds at most
    })
    let seq = 0
    if (index === 0) every(node, 20, () => send(peers[0], `${epoch} ${++seq}`))
  },
}

const bandwidth: Toy = {
  family: 'bandwidth',
  kin: ['latency-spike'], // one large message may be the one that is late
  assumption: 'a large message is as fast as a small one',
  count: 2,
  run: stream(
    200,
    (host, emit, seq) => {
      emit(host, `${seq}`)
      emit(host, `${seq} ${'x'.repeat(8000)}`)
    },
    (node) => {
      const small = new Map<string, number>()
      return (text, bytes) => {
        const [seq] = text.split(' ', 1)
        if (bytes < 8000) small.set(seq, nowMs(node))
        else if (small.has(seq) && nowMs(node) - small.get(seq)! > 30)
          broken(`${nowMs(node) - small.get(seq)!} ms later`)
      }
    },
  ),
}

const reorder: Toy = {
  family: 'reorder',
  assumption: 'of two messages sent together the first comes first',
  count: 2,
  run: stream(
    20,
    (host, emit, seq) => {
      emit(host, `${seq}a`)
      emit(host, `${seq}b`)
    },
    () => {
      let second = ''
      return (text) => {
        if (text.endsWith('b')) second = text
        else if (text.slice(0, -1) === second.slice(0, -1)) broken(`${second} before ${text}`)
      }
    },
  ),
}

const duplicate: Toy = {
  family: 'duplicate',
  assumption: 'no message comes twice',
  count: 2,
  run: ({ index, peers }, node) => {
    const epoch = Math.round(nowMs(node) * 1000) + Math.round(node.globalThis.Math.random() * 1e9)
    const got = new Set<string>()
    const send = datagrams(node, (text) => {
      if (got.has(text)) broken(`${text} again`)
      got.add(text)
    })
    let seq = 0
    if (index === 0) every(node, 20, () => send(peers[0], `${epoch} ${++seq}`))
  },
}

const reset: Toy = {
  family: 'reset',
  assumption: 'a connection is reset only when the server went away',
  count: 2,
  run: ({ index, peers }, node) => {
    const net = node.require('node:net') as typeof Net
    if (index === 1) {
      const boot = String(node.globalThis.Math.random())
      net.createServer((socket) => socket.on('error', () => {}).write(boot)).listen(80)
      return
    }
    let suspect: string | null = null
    const connect = (): void => {
      let boot = ''
      const socket = net.connect(80, peers[0])
      socket.on('data', (data) => {
        boot += String(data)
        if (suspect !== null && boot === suspect) broken('reset, and the server is the same')
        suspect = null
      })
      socket.on('error', (error: NodeJS.ErrnoException) => {
        if (error.code === 'ECONNRESET' && error.syscall === 'read') suspect = boot
      })
      socket.on('close', () => node.globalThis.setTimeout(connect, 20))
    }
    connect()
  },
}

const corrupt: Toy = {
  family: 'corrupt',
  kin: ['byzantine'],
  assumption: 'what comes is what was sent',
  budget: { byzantineLinks: true },
  count: 2,
  run: stream(
    5,
    (host, emit) => emit(host, 'AAAAAAAA'),
    () => (text) => void (text !== 'AAAAAAAA' && broken(text)),
  ),
}

const pause: Toy = {
  family: 'pause',
  assumption: 'a timer is never late by a tenth of a second',
  count: 1,
  run: (_process, node) => pauses(node, (gapMs) => broken(`${gapMs} ms late`)),
}

const reboot: Toy = {
  family: 'reboot',
  kin: [
    'crash-loop',
    'rolling-restart',
    'mass-restart',
    'cascade',
    'out-of-memory',
    'torn-write',
    'reordered-writes',
    'lost-rename',
    'disk-wipe',
  ],
  assumption: 'a process boots once',
  count: 1,
  run: (_process, node) => {
    event('booted')
    every(node, 1000, () => {})
  },
  invariant: () => {
    return ({ events }) => events.all('booted').length < 2
  },
}

const clockJump: Toy = {
  family: 'clock-jump',
  kin: ['clock-back', 'clock-slow'], // a slow clock that is set right jumps
  assumption: 'a clock that was right is right ten milliseconds later',
  count: 1,
  run: clock((offsetMs, changeMs) => {
    if (Math.abs(offsetMs) < 2 && Math.abs(changeMs) >= 5) broken(`a jump of ${changeMs} ms`)
  }),
}

const clockDrift: Toy = {
  family: 'clock-drift',
  kin: ['clock-slow'],
  assumption: 'a clock that does not jump stays right',
  count: 1,
  run: (process, node) => {
    let jumped = false
    clock((offsetMs, changeMs) => {
      if (Math.abs(changeMs) >= 2) jumped = true
      else if (Math.abs(offsetMs) < 1) jumped = false
      if (!jumped && Math.abs(offsetMs) > 4) broken(`${offsetMs} ms off`)
    })(process, node)
  },
}

const diskSlow: Toy = {
  family: 'disk-slow',
  kin: ['disk-throttle', 'loop-stall'], // a late loop sees every answer late
  assumption: 'a write takes less than five milliseconds',
  count: 1,
  run: (process, node) => {
    let paused = false
    pauses(node, () => void (paused = true))
    filing(
      async (fs) => {
        paused = false
        const begun = nowMs(node)
        await fs.writeFile('/file', 'text')
        const tookMs = nowMs(node) - begun
        await new Promise((resolve) => node.globalThis.setTimeout(resolve, 15)) // the watch must have its turn
        if (tookMs >= 5 && !paused) broken(`${tookMs} ms`)
      },
      () => {},
    )(process, node)
  },
}

const diskFull: Toy = {
  family: 'disk-full',
  assumption: 'there is room',
  count: 1,
  run: filing(
    (fs) => fs.appendFile('/file', 'x'.repeat(9000)),
    (code) => void (code === 'ENOSPC' && broken(code)),
  ),
}

const diskError: Toy = {
  family: 'disk-error',
  assumption: 'reads and writes do not fail',
  count: 1,
  run: filing(
    async (fs) => {
      await fs.writeFile('/file', 'text')
      await fs.readFile('/file')
    },
    (code) => void (code === 'EIO' && broken(code)),
  ),
}

const syncError: Toy = {
  family: 'sync-error',
  assumption: 'fsync does not fail',
  count: 1,
  run: filing(
    async (fs) => {
      const file = await fs.open('/file', 'w')
      try {
        await file.write('text')
        await file
          .sync()
          .catch((error: NodeJS.ErrnoException) => void (error.code === 'EIO' && broken('EIO')))
      } finally {
        await file.close()
      }
    },
    () => {},
  ),
}

/** Counts in a file, and syncs. */
const SYNCED: Omit<Toy, 'family'> = {
  assumption: 'what was synced is there after a power loss',
  along: ['reboot'],
  budget: { lyingDisks: 1 },
  count: 1,
  run: (_process, node) => {
    const fs = files(node)
    const count = async (): Promise<void> => {
      const found = Number(await fs.readFile('/count', 'utf8').catch(() => '0'))
      event('found', found)
      for (let n = Number.isInteger(found) ? found : 0; ;) {
        const file = await fs.open('/count', 'a+')
        await file.truncate(0)
        await file.write(String(++n).padStart(8, '0'))
        await file.sync()
        await file.close()
        const root = await fs.open('/', 'r')
        await root.sync()
        await root.close()
        event('synced', n)
        await new Promise((resolve) => node.globalThis.setTimeout(resolve, 100))
      }
    }
    count().catch(() => {})
  },
  invariant: () => {
    let synced = 0
    return ({ events }) => {
      for (const { name, data } of events) {
        if (name === 'synced') synced = data as number
        // While the file is rewritten it may be empty: then the disk has told no lie.
        else if (name === 'found' && (data as number) > 0 && (data as number) < synced)
          return `${data} after ${synced}`
      }
      return true
    }
  },
}

const lyingSync: Toy = { ...SYNCED, family: 'lying-sync', kin: ['phantom-write'] }
const phantomWrite: Toy = { ...SYNCED, family: 'phantom-write', kin: ['lying-sync'] }

const bitRot: Toy = {
  family: 'bit-rot',
  assumption: 'what was written is what is read',
  budget: { lyingDisks: 1 },
  count: 1,
  run: filing(
    async (fs) => {
      await fs.writeFile('/file', Buffer.alloc(PAGE_BYTES))
      for (let i = 0; i < 20; i++) {
        const read = await fs.readFile('/file')
        if (read.length === PAGE_BYTES && read.some((byte) => byte !== 0)) broken('a bit has flipped')
      }
    },
    () => {},
  ),
}

const PAGES = 4

const misdirectedWrite: Toy = {
  family: 'misdirected-write',
  assumption: 'a page that was written is found in its place',
  along: ['reboot'],
  budget: { lyingDisks: 1 },
  count: 1,
  run: (_process, node) => {
    const fs = files(node)
    const page = (i: number): Buffer => Buffer.alloc(PAGE_BYTES, i + 1)
    const work = async (): Promise<void> => {
      const found = await fs.readFile('/pages').catch(() => Buffer.alloc(0))
      for (let i = 0; (i + 1) * PAGE_BYTES <= found.length; i++) {
        const [byte] = found.subarray(i * PAGE_BYTES)
        const strange = byte !== i + 1 && byte >= 1 && byte <= PAGES
        if (strange && found.subarray(i * PAGE_BYTES, (i + 1) * PAGE_BYTES).equals(page(byte - 1)))
          broken(`page ${byte - 1} is in the place of page ${i}`)
      }
      const file = await fs.open('/pages', found.length === 0 ? 'w+' : 'r+')
      const put = async (i: number): Promise<void> => {
        await file.write(page(i), 0, PAGE_BYTES, i * PAGE_BYTES)
        await file.sync()
      }
      if (found.length === 0) for (let i = 0; i < PAGES; i++) await put(i)
      for (;;) {
        await put(0) // what goes astray stays where it fell
        await new Promise((resolve) => node.globalThis.setTimeout(resolve, 20))
      }
    }
    work().catch(() => {})
  },
}

export const TOYS: readonly Toy[] = [
  partition,
  oneWayCut,
  slowLink,
  loss,
  bandwidth,
  reorder,
  duplicate,
  reset,
  corrupt,
  pause,
  reboot,
  clockJump,
  clockDrift,
  diskSlow,
  diskFull,
  diskError,
  syncError,
  lyingSync,
  bitRot,
  misdirectedWrite,
  phantomWrite,
  ...PROCESS_TOYS,
  ...NETWORK_TOYS,
  ...DISK_TOYS,
  ...CLUSTER_TOYS,
]
