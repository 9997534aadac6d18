/** Toys of disks without room for descriptors, with short reads and a queue, and of what a power loss leaves. */
import { event, type Invariant } from '../../../src/index.ts'
import { broken, clock, files, filing, nowMs, PAGE_BYTES, sleep, type Toy } from '../toy.ts'

const fileLimit: Toy = {
  family: 'file-limit',
  assumption: 'a file can be opened',
  count: 1,
  run: filing(
    (fs) => fs.writeFile('/file', 'text'),
    (code) => void (code === 'EMFILE' && broken(code)),
  ),
}

const shortRead: Toy = {
  family: 'short-read',
  assumption: 'a read gives what is there',
  count: 1,
  run: filing(
    async (fs) => {
      await fs.writeFile('/file', 'x'.repeat(100))
      const file = await fs.open('/file')
      try {
        const { size } = await file.stat()
        const { bytesRead } = await file.read(Buffer.alloc(100), 0, 100, 0)
        if (bytesRead < size) broken(`${bytesRead} of ${size}`)
      } finally {
        await file.close()
      }
    },
    () => {},
  ),
}

const diskThrottle: Toy = {
  family: 'disk-throttle',
  assumption: 'operations do not stand in line',
  count: 1,
  run: filing(
    async (fs, node) => {
      const begun = nowMs(node)
      const took = await Promise.all(
        Array.from({ length: 5 }, () => fs.stat('/').then(() => nowMs(node) - begun)),
      )
      const gaps = took.slice(1).map((ms, i) => ms - took[i])
      if (Math.min(...gaps) >= 4 && Math.max(...gaps) - Math.min(...gaps) < 1) broken(`${took}`)
    },
    () => {},
  ),
}

const tornWrite: Toy = {
  family: 'torn-write',
  assumption: 'a page is written whole or not at all',
  kin: ['reboot', 'reordered-writes', 'lost-rename'],
  count: 1,
  run: (_process, node) => {
    const fs = files(node)
    const work = async (): Promise<void> => {
      const found = await fs.readFile('/page').catch(() => Buffer.alloc(0))
      if (found.length === PAGE_BYTES) {
        const sectors = Array.from({ length: 8 }, (_, i) => found.subarray(i * 512, (i + 1) * 512))
        const whole = sectors.every((sector) => sector.every((byte) => byte === sector[0]))
        if (whole && sectors.some(([first]) => first !== found[0])) broken('half of it is new')
      }
      const file = await fs.open('/page', found.length === PAGE_BYTES ? 'r+' : 'w+')
      if (found.length !== PAGE_BYTES) {
        await file.write(Buffer.alloc(PAGE_BYTES), 0, PAGE_BYTES, 0)
        await file.sync()
      }
      for (let n = (found[0] ?? 0) + 1; ; n++) {
        await file.write(Buffer.alloc(PAGE_BYTES, n % 250), 0, PAGE_BYTES, 0)
        await sleep(node, 50)
      }
    }
    work().catch(() => {})
  },
}

const reorderedWrites: Toy = {
  family: 'reordered-writes',
  assumption: 'a later write is not there without an earlier one',
  kin: ['reboot', 'torn-write', 'lost-rename'],
  count: 1,
  run: (_process, node) => {
    const fs = files(node)
    const work = async (): Promise<void> => {
      const found = await fs.readFile('/pages').catch(() => Buffer.alloc(0))
      const whole = found.length === 2 * PAGE_BYTES
      if (whole && found[PAGE_BYTES] > found[0]) broken(`${found[PAGE_BYTES]} after ${found[0]}`)
      const file = await fs.open('/pages', 'w+')
      const put = async (page: number, n: number): Promise<boolean> => {
        const { bytesWritten } = await file.write(
          Buffer.alloc(PAGE_BYTES, n),
          0,
          PAGE_BYTES,
          page * PAGE_BYTES,
        )
        return bytesWritten === PAGE_BYTES
      }
      for (let n = 0; n < 250; n++) {
        if (!(await put(0, n)) || !(await put(1, n))) return
        if (n % 4 === 0) await file.sync()
        await sleep(node, 20)
      }
    }
    work().catch(() => {})
  },
}

/** What was announced must be found at the next boot, if anything is. */
function remembers(announced: string, found: string): () => Invariant {
  return () => {
    let last = 0
    return ({ events }) => {
      for (const { name, data } of events) {
        if (name === announced) last = data as number
        else if (name === found && (data as number) < last) return `${data as number} after ${last}`
      }
      return true
    }
  }
}

const lostRename: Toy = {
  family: 'lost-rename',
  assumption: 'a rename is durable at once',
  kin: ['reboot', 'torn-write', 'reordered-writes'],
  count: 1,
  run: (_process, node) => {
    const fs = files(node)
    const work = async (): Promise<void> => {
      const found = await fs
        .readFile('/count', 'utf8')
        .catch((error: NodeJS.ErrnoException) => (error.code === 'ENOENT' ? '0' : error.code))
      let n = Number(found)
      if (!Number.isInteger(n)) return // a disk that cannot be read has lost nothing
      event('found', n)
      for (;;) {
        const file = await fs.open('/count.new', 'w')
        await file.writeFile(String(++n)) // goes on after a short write
        await file.sync()
        await file.close()
        await fs.rename('/count.new', '/count')
        event('renamed', n)
        await sleep(node, 100)
      }
    }
    work().catch(() => {})
  },
  invariant: remembers('renamed', 'found'),
}

const diskWipe: Toy = {
  family: 'disk-wipe',
  assumption: 'a disk stays in its machine',
  budget: { lyingDisks: 1 },
  count: 1,
  run: (_process, node) => {
    const fs = files(node)
    const work = async (): Promise<void> => {
      const kept = await fs.readFile('/kept', 'utf8').then(
        () => 1,
        (error: NodeJS.ErrnoException) => (error.code === 'ENOENT' ? 0 : null),
      )
      if (kept === null) return
      event('found', kept)
      const file = await fs.open('/kept', 'w')
      await file.write('yes')
      await file.sync()
      await file.close()
      const root = await fs.open('/', 'r')
      await root.sync()
      await root.close()
      event('kept', 1)
    }
    work().catch(() => {})
    node.globalThis.setInterval(() => {}, 1000)
  },
  invariant: remembers('kept', 'found'),
}

const clockBack: Toy = {
  family: 'clock-back',
  assumption: 'a clock does not go back',
  kin: ['clock-jump', 'clock-drift'],
  count: 1,
  run: (_process, node) => {
    let last = 0
    node.globalThis.setInterval(() => {
      const now = node.globalThis.Date.now()
      if (now < last) broken(`${last - now} ms back`)
      last = now
    }, 5)
  },
}

const clockSlow: Toy = {
  family: 'clock-slow',
  assumption: 'a clock loses less than a tenth of its time',
  count: 1,
  run: (process, node) => {
    let changes: number[] = []
    clock((_offsetMs, changeMs) => {
      changes = [...changes, changeMs].slice(-10)
      const slow = changes.length === 10 && changes.every((each) => each > -6 && each <= 0)
      const lostMs = changes.reduce((sum, each) => sum - each, 0)
      if (slow && lostMs > 8) broken(`${lostMs} ms of a tenth of a second`)
    })(process, node)
  },
}

export const DISK_TOYS: readonly Toy[] = [
  fileLimit,
  shortRead,
  diskThrottle,
  tornWrite,
  reorderedWrites,
  lostRename,
  diskWipe,
  clockBack,
  clockSlow,
]
