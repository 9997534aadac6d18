/**
 * The store: a map in memory and a log on disk. Every change is a line `checksum json`, appended; at start the log is
 * read up to the first line that is not whole. With `sync: 'always'` a change is acknowledged when it is on the disk;
 * with `sync: 'background'` when the operating system has taken it, and the disk gets it a little later.
 */
import { createHash } from 'node:crypto'
import { open, mkdir, readFile } from 'node:fs/promises'
import { dirname } from 'node:path'

const BACKGROUND_SYNC_MS = 1000

export class Store {
  #values = new Map()
  #file = null
  #sync
  /** How many bytes of the log are whole lines, and whether an append that failed may have left more behind them. */
  #length = 0
  #torn = false
  /** The last append, so that appends happen one after another. */
  #tail = Promise.resolve()

  /** Opens the log at `path`, creating it if need be. `sync`: 'always' or 'background'. */
  static async open(path, sync) {
    const store = new Store()
    store.#sync = sync
    const created = await mkdir(dirname(path), { recursive: true })
    const { values, length } = replay(await readIfThere(path))
    store.#values = values
    store.#length = length
    store.#file = await open(path, 'a')
    await store.#file.truncate(length) // a torn last line must not swallow the next one
    await store.#file.sync()
    await syncNames(path, created ?? path)
    if (sync === 'background')
      setInterval(() => store.#file.datasync().catch(() => {}), BACKGROUND_SYNC_MS).unref()
    return store
  }

  get size() {
    return this.#values.size
  }

  get(key) {
    return this.#values.get(key) ?? null
  }

  /** Sets a key; resolves when the change may be acknowledged. */
  put(key, value) {
    return this.#append({ key, value })
  }

  delete(key) {
    return this.#append({ key, value: null })
  }

  #append(change) {
    const done = this.#tail.then(async () => {
      const text = line(change)
      if (this.#torn) await this.#file.truncate(this.#length) // half a line would hide the lines after it
      this.#torn = true
      await this.#file.appendFile(text)
      if (this.#sync === 'always') await this.#file.datasync()
      this.#torn = false
      this.#length += Buffer.byteLength(text)
      apply(this.#values, change) // visible only now: a reader must not see what a crash may take back
    })
    this.#tail = done.catch(() => {})
    return done
  }
}

/** A log that cannot be read is not an empty one: the server must not start with it. */
async function readIfThere(path) {
  try {
    return await readFile(path)
  } catch (error) {
    if (error.code === 'ENOENT') return Buffer.alloc(0)
    throw error
  }
}

/** A name survives a power loss once its directory is synced: the log's, and those of directories that are new. */
async function syncNames(path, oldest) {
  for (let name = path; ; name = dirname(name)) {
    const directory = await open(dirname(name), 'r')
    await directory.sync()
    await directory.close()
    if (name === oldest) return
  }
}

function line(change) {
  const json = JSON.stringify(change)
  return `${checksum(json)} ${json}\n`
}

function checksum(text) {
  return createHash('sha256').update(text).digest('hex').slice(0, 16)
}

function apply(values, { key, value }) {
  if (value === null) values.delete(key)
  else values.set(key, value)
}

/** The changes of a log, and how many of its bytes are whole lines. */
function replay(log) {
  const values = new Map()
  let length = 0
  for (;;) {
    const end = log.indexOf(10, length)
    if (end < 0) return { values, length }
    const text = log.toString('utf8', length, end)
    const json = text.slice(17)
    if (text[16] !== ' ' || text.slice(0, 16) !== checksum(json)) return { values, length }
    apply(values, JSON.parse(json))
    length = end + 1
  }
}
