// @ts-check
/**
 * What a server keeps on its disk: `log` and `snapshot` in one folder.
 *
 * Both are made of frames, one per line: `length checksum json\n`, length and CRC-32 of the JSON as 8 hexadecimal digits.
 * A frame of the log is one batch of changes, written and synced as one, with a number that grows by 1; a batch with
 * entries replaces what the log had from their first index on. The snapshot is one frame. Files are replaced, never
 * changed in place: written under another name, synced, renamed, and the folder synced. What a crash leaves under that
 * other name is written over the next time.
 *
 * After a power loss the last batch may be there, gone, or torn: sectors of it never reached the disk, and read as zeros
 * or lie beyond the end of the file. It was never answered for, so it is cut off. Anything else that is wrong means that
 * the disk has lost what it promised to keep. A server must not guess then, because it may have voted or acknowledged
 * entries: {@link CorruptionError} names file and offset, and the operator decides.
 *
 * A batch that is whole but was not synced (the process was killed, or a sync failed) may be on the disk or only in
 * memory; after a failed sync the system may even believe that it is clean. So a server that starts writes its log anew.
 *
 * @import { Entry, PersistRecord, Recovered, Snapshot } from './types.ts'
 */
import { mkdir, open, readFile, rename } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { crc32 } from 'node:zlib'
import { mutant } from '../mutants.js'

const SECTOR_BYTES = 512
const HEADER_BYTES = 18 // two numbers of 8 digits, a blank after each

export class CorruptionError extends Error {
  /** @override */
  name = 'CorruptionError'
  /** @param {string} file @param {number} offset @param {string} reason */
  constructor(file, offset, reason) {
    super(
      `${file} is corrupt at byte ${offset}: ${reason}. This server must not start: it may have promised what is lost. ` +
        'Remove it from the cluster, empty its folder, and add it again.',
    )
    this.file = file
    this.offset = offset
  }
}

export class Storage {
  #folder
  /** @type {import('node:fs/promises').FileHandle | null} */
  #log = null
  /** The folder itself, to sync the names in it. @type {import('node:fs/promises').FileHandle | null} */
  #names = null
  /** The number of the next batch. */
  #next = 1

  /** @param {string} folder */
  constructor(folder) {
    this.#folder = folder
  }

  /**
   * Opens the folder, creating it if need be.
   * @param {import('./types.ts').Members} bootstrap the members of a cluster that begins
   * @returns {Promise<Recovered>}
   */
  async open(bootstrap) {
    const created = await mkdir(this.#folder, { recursive: true })
    if (created !== undefined) await syncNames(this.#folder, created)
    this.#names = await open(this.#folder, 'r')
    const files = { log: await this.#read('log'), snapshot: await this.#read('snapshot') }
    const recovered = recover(this.#folder, files, bootstrap)
    await this.#rewriteLog(recovered)
    return recovered
  }

  /** Makes changes durable. @param {readonly PersistRecord[]} records */
  async persist(records) {
    const log = /** @type {import('node:fs/promises').FileHandle} */ (this.#log)
    await log.appendFile(frame({ batch: this.#next++, records }))
    await log.datasync()
  }

  /** Makes a snapshot durable, and the log that follows it. @param {Snapshot} snapshot @param {{ term: number, vote: string | null, entries: readonly Entry[] }} rest */
  async replaceSnapshot(snapshot, rest) {
    const written = await this.#replace('snapshot', frame(snapshot))
    await written.close()
    await this.#rewriteLog({ ...rest, snapshot })
  }

  async close() {
    await this.#log?.close()
    await this.#names?.close()
    this.#log = this.#names = null
  }

  /** @param {Recovered} state */
  async #rewriteLog({ term, vote, snapshot, entries }) {
    const first = { batch: 1, records: [{ term, vote, from: snapshot.index + 1, entries }] }
    const log = await this.#replace('log', frame(first))
    await this.#log?.close()
    this.#log = log
    this.#next = 2
  }

  /** Resolves to the new file, open at its end. @param {string} name @param {Buffer} content */
  async #replace(name, content) {
    const path = join(this.#folder, name)
    const fresh = await open(`${path}.new`, 'w')
    try {
      await fresh.writeFile(content)
      if (!mutant('snapshot-not-synced') || name !== 'snapshot') await fresh.sync()
      await rename(`${path}.new`, path)
      if (!mutant('folder-not-synced')) await this.#names?.sync()
      return fresh
    } catch (error) {
      await fresh.close()
      throw error
    }
  }

  /** @param {string} name @returns {Promise<Buffer | null>} */
  async #read(name) {
    try {
      return await readFile(join(this.#folder, name))
    } catch (error) {
      if (/** @type {NodeJS.ErrnoException} */ (error).code === 'ENOENT') return null
      throw error
    }
  }
}

/**
 * What the files of a folder say.
 * @param {string} folder @param {{ log: Buffer | null, snapshot: Buffer | null }} files
 * @param {import('./types.ts').Members} bootstrap
 * @returns {Recovered}
 */
export function recover(folder, files, bootstrap) {
  const logFile = join(folder, 'log')
  const snapshot = readSnapshot(join(folder, 'snapshot'), files.snapshot, bootstrap)
  if (files.log === null && snapshot.index > 0)
    throw new CorruptionError(logFile, 0, 'the file is missing, but there is a snapshot')
  return readLog(logFile, files.log ?? Buffer.alloc(0), snapshot)
}

/** @param {unknown} value */
function frame(value) {
  const text = JSON.stringify(value)
  const length = Buffer.byteLength(text)
  const bytes = Buffer.allocUnsafe(HEADER_BYTES + length + 1)
  bytes.write(text, HEADER_BYTES)
  bytes.write('\n', HEADER_BYTES + length)
  const checksum = crc32(bytes.subarray(HEADER_BYTES, HEADER_BYTES + length))
  bytes.write(`${hex(length)} ${hex(checksum)} `, 'latin1')
  return bytes
}

/** @param {number} number */
function hex(number) {
  return number.toString(16).padStart(8, '0')
}

/** The frame that begins at an offset; null when it is not whole. @param {Buffer} bytes @param {number} offset */
function frameAt(bytes, offset) {
  const header = bytes.toString('latin1', offset, offset + HEADER_BYTES)
  const [, length, checksum] = /^([0-9a-f]{8}) ([0-9a-f]{8}) $/.exec(header) ?? []
  if (length === undefined) return { value: null, end: null }
  const begin = offset + HEADER_BYTES
  const end = begin + parseInt(length, 16) + 1
  const json = bytes.subarray(begin, end - 1)
  const whole = end <= bytes.length && bytes[end - 1] === 10
  const intact = hex(crc32(json)) === checksum || mutant('checksum-ignored')
  return { value: whole && intact ? JSON.parse(json.toString()) : null, end }
}

/** The batches of a log, and why it ends where it does. @param {string} file @param {Buffer} bytes */
function batchesIn(file, bytes) {
  const batches = []
  let offset = 0
  while (offset < bytes.length) {
    const { value, end } = frameAt(bytes, offset)
    if (value === null) {
      const problem = whyNotTorn(bytes, offset, end)
      if (problem !== null) throw new CorruptionError(file, offset, problem)
      return batches
    }
    if (value.batch !== batches.length + 1) {
      const problem = `batch ${value.batch} follows batch ${batches.length}`
      throw new CorruptionError(file, offset, problem)
    }
    batches.push(value)
    offset = /** @type {number} */ (end)
  }
  return batches
}

/**
 * A frame that is not whole may be the last batch before a power loss. Then no whole frame comes after it, and a part of
 * it is missing: a sector reads as zeros, which frames have none of, or the file ends early, so not with the newline
 * that only the end of a frame has. A length that points beyond the end of the file proves nothing: one flipped bit
 * does that.
 * @param {Buffer} bytes
 * @param {number} offset
 * @param {number | null} end where the frame says it ends
 */
function whyNotTorn(bytes, offset, end) {
  for (let at = bytes.indexOf(10, offset); at >= 0; at = bytes.indexOf(10, at + 1)) {
    if (frameAt(bytes, at + 1).value !== null)
      return `the checksum is wrong, and a whole batch follows at ${at + 1}`
  }
  const cutShort = end === null ? bytes.length < offset + HEADER_BYTES : bytes.length < end
  if (cutShort && bytes.at(-1) !== 10) return null
  for (let at = offset; at < bytes.length;) {
    const next = Math.min(bytes.length, (Math.floor(at / SECTOR_BYTES) + 1) * SECTOR_BYTES)
    if (bytes.subarray(at, next).every((byte) => byte === 0)) return null
    at = next
  }
  return 'the checksum is wrong, and no part of the batch is missing'
}

/** @param {string} file @param {Buffer | null} bytes @param {import('./types.ts').Members} bootstrap @returns {Snapshot} */
function readSnapshot(file, bytes, bootstrap) {
  if (bytes === null) return { index: 0, term: 0, timeMs: 0, members: bootstrap, data: '' }
  const { value, end } = frameAt(bytes, 0)
  if (value === null || end !== bytes.length) throw new CorruptionError(file, 0, 'the checksum is wrong')
  return value
}

/** @param {string} file @param {Buffer} bytes @param {Snapshot} snapshot @returns {Recovered} */
function readLog(file, bytes, snapshot) {
  let term = snapshot.term
  /** @type {string | null} */
  let vote = null
  let base = snapshot.index
  /** @type {Entry[]} */
  let entries = []
  for (const { batch, records } of batchesIn(file, bytes)) {
    for (const record of records) {
      ;({ term, vote } = record)
      if (record.from === undefined) continue
      if (batch === 1) base = record.from - 1
      entries = [...entries.slice(0, record.from - base - 1), ...record.entries]
    }
  }
  if (base > snapshot.index)
    throw new CorruptionError(
      file,
      0,
      `the log begins after entry ${base}, the snapshot ends at ${snapshot.index}`,
    )
  // A snapshot that was installed just before the end: entries that do not agree with it are not what follows it.
  const at = snapshot.index - base
  const agrees = at === 0 || entries[at - 1]?.term === snapshot.term
  return { term, vote, snapshot, entries: agrees ? entries.slice(at) : [] }
}

/** @param {string} folder */
async function syncFolder(folder) {
  const handle = await open(folder, 'r')
  await handle.sync().finally(() => handle.close())
}

/** The names of folders that are new. @param {string} folder @param {string} oldest */
async function syncNames(folder, oldest) {
  for (let name = folder; ; name = dirname(name)) {
    await syncFolder(dirname(name))
    if (name === oldest) return
  }
}
