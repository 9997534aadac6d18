/**
 * Every configuration met so far, as rows of integers in chunks, with two hash tables over them: one by the whole
 * row, one by what must be equal for one configuration to *dominate* another.
 *
 * A dominates B when both are at the same level and state with the same linearized calls, except that A may have
 * linearized more reads and used fewer optional calls. Whatever completes B then completes A: reads change nothing,
 * and an optional call that is left over need not happen. So B is not worth a look. This is what keeps histories with
 * many unknown outcomes small. Chains of the second table are scanned up to a bound only: an undetected domination
 * costs time, not soundness.
 */
import type { Space } from './space.ts'

/** Columns of a row; bit words follow: other calls, reads, then counts of used optional calls, four to a word. */
export const LEVEL = 0
export const STATE = 1
export const PARENT = 2
/** The call linearized to get here, or `~group` for an optional one. */
export const STEP = 3
export const CURSOR = 4
export const OPEN_NEXT = 5
/** The state before an optional call that nothing has observed yet, or -1: what comes next must observe it. */
export const BEFORE = 6
const CHAIN_NEXT = 7
const ROW_HASH = 8
const GROUP_HASH = 9
export const BITS = 10

const CHUNK_BITS = 10
const CHUNK_ROWS = 1 << CHUNK_BITS
const MAX_CHAIN = 96
const HIGH_BITS = 0x80808080 | 0

export const DEAD = -2

export class Configurations {
  readonly width: number
  readonly otherWords: number
  readonly readStart: number
  readonly usedStart: number
  /** The row under construction. */
  readonly scratch: Int32Array
  count = 0
  bytes: number
  readonly #chunks: Int32Array[] = []
  #byRow = new Int32Array(1 << 8).fill(-1)
  #byGroup = new Int32Array(1 << 8).fill(-1)
  #groups = 0

  constructor(space: Space) {
    this.otherWords = (space.otherSlots + 31) >>> 5
    this.readStart = BITS + this.otherWords
    this.usedStart = this.readStart + ((space.readSlots + 31) >>> 5)
    this.width = this.usedStart + ((space.groups + 3) >>> 2)
    this.scratch = new Int32Array(this.width)
    this.bytes = this.#byRow.byteLength + this.#byGroup.byteLength
  }

  chunk(row: number): Int32Array {
    return this.#chunks[row >>> CHUNK_BITS]
  }

  base(row: number): number {
    return (row & (CHUNK_ROWS - 1)) * this.width
  }

  /** Copies a row into the scratch row. */
  load(row: number): void {
    const chunk = this.#chunks[row >>> CHUNK_BITS]
    const base = (row & (CHUNK_ROWS - 1)) * this.width
    const { scratch, width } = this
    for (let i = 0; i < width; i++) scratch[i] = chunk[base + i]
  }

  /** Adds the scratch row unless it, or one that dominates it, is known. Returns its number, or -1. */
  add(): number {
    const { scratch } = this
    let hash =
      Math.imul(scratch[LEVEL] ^ 0x9e3779b9, 0x85ebca6b) ^ Math.imul(scratch[STATE] + 0x7f4a7c15, 0xc2b2ae35)
    hash = mix(hash, scratch[BEFORE])
    for (let i = BITS; i < this.readStart; i++) hash = mix(hash, scratch[i])
    const groupHash = finish(hash)
    for (let i = this.readStart; i < this.width; i++) hash = mix(hash, scratch[i])
    const rowHash = finish(hash ^ 0x1b873593)
    const slot = this.#findRow(rowHash)
    if (slot < 0) return -1
    const groupSlot = this.#findGroup(groupHash)
    const head = this.#byGroup[groupSlot]
    if (head >= 0 && this.#dominated(head)) return -1

    const row = this.count++
    if (row >>> CHUNK_BITS === this.#chunks.length) {
      const chunk = new Int32Array(CHUNK_ROWS * this.width)
      this.#chunks.push(chunk)
      this.bytes += chunk.byteLength
    }
    scratch[CHAIN_NEXT] = head
    scratch[ROW_HASH] = rowHash
    scratch[GROUP_HASH] = groupHash
    const chunk = this.#chunks[row >>> CHUNK_BITS]
    const base = (row & (CHUNK_ROWS - 1)) * this.width
    for (let i = 0; i < this.width; i++) chunk[base + i] = scratch[i]
    this.#byRow[slot] = row
    if (head < 0) this.#groups++
    this.#byGroup[groupSlot] = row
    if (this.count * 2 > this.#byRow.length) this.#growRows()
    if (this.#groups * 2 > this.#byGroup.length) this.#growGroups()
    return row
  }

  /** A free slot of the table by row, or -1 when the scratch row is there already. */
  #findRow(hash: number): number {
    const table = this.#byRow
    const mask = table.length - 1
    for (let slot = hash & mask; ; slot = (slot + 1) & mask) {
      const row = table[slot]
      if (row < 0) return slot
      const chunk = this.#chunks[row >>> CHUNK_BITS]
      const base = (row & (CHUNK_ROWS - 1)) * this.width
      if (chunk[base + ROW_HASH] === hash && this.#equal(chunk, base, this.width)) return -1
    }
  }

  #findGroup(hash: number): number {
    const table = this.#byGroup
    const mask = table.length - 1
    for (let slot = hash & mask; ; slot = (slot + 1) & mask) {
      const row = table[slot]
      if (row < 0) return slot
      const chunk = this.#chunks[row >>> CHUNK_BITS]
      const base = (row & (CHUNK_ROWS - 1)) * this.width
      if (chunk[base + GROUP_HASH] === hash && this.#equal(chunk, base, this.readStart)) return slot
    }
  }

  #equal(chunk: Int32Array, base: number, end: number): boolean {
    const { scratch } = this
    if (chunk[base + LEVEL] !== scratch[LEVEL] || chunk[base + STATE] !== scratch[STATE]) return false
    if (chunk[base + BEFORE] !== scratch[BEFORE]) return false
    for (let i = BITS; i < end; i++) if (chunk[base + i] !== scratch[i]) return false
    return true
  }

  /** Whether a row of the chain dominates the scratch row; rows that the scratch row dominates are marked dead. */
  #dominated(head: number): boolean {
    let row = head
    for (let seen = 0; row >= 0 && seen < MAX_CHAIN; seen++) {
      const chunk = this.#chunks[row >>> CHUNK_BITS]
      const base = (row & (CHUNK_ROWS - 1)) * this.width
      const order = this.#compare(chunk, base)
      if (order > 0) return true
      if (order < 0) chunk[base + CURSOR] = DEAD
      row = chunk[base + CHAIN_NEXT]
    }
    return false
  }

  /** 1: the stored row dominates; -1: the scratch row does; 0: neither. They are never equal here. */
  #compare(chunk: Int32Array, base: number): number {
    const { scratch, readStart, usedStart, width } = this
    let stored = true
    let fresh = true
    for (let i = readStart; i < usedStart; i++) {
      const a = chunk[base + i]
      const b = scratch[i]
      if ((b & ~a) !== 0) stored = false
      if ((a & ~b) !== 0) fresh = false
      if (!stored && !fresh) return 0
    }
    for (let i = usedStart; i < width; i++) {
      const a = chunk[base + i]
      const b = scratch[i]
      if (a === b) continue
      // Per byte, a <= b exactly when (b + 128 - a) keeps its high bit: no borrow, since counts are below 128.
      if ((((b | HIGH_BITS) - a) & HIGH_BITS) !== HIGH_BITS) stored = false
      if ((((a | HIGH_BITS) - b) & HIGH_BITS) !== HIGH_BITS) fresh = false
      if (!stored && !fresh) return 0
    }
    return stored ? 1 : fresh ? -1 : 0
  }

  #growRows(): void {
    const old = this.#byRow
    const table = new Int32Array(old.length * 2).fill(-1)
    this.#byRow = this.#rehash(old, table, ROW_HASH)
    this.bytes += old.byteLength
  }

  #growGroups(): void {
    const old = this.#byGroup
    const table = new Int32Array(old.length * 2).fill(-1)
    this.#byGroup = this.#rehash(old, table, GROUP_HASH)
    this.bytes += old.byteLength
  }

  #rehash(old: Int32Array, table: Int32Array<ArrayBuffer>, column: number): Int32Array<ArrayBuffer> {
    const mask = table.length - 1
    for (const row of old) {
      if (row < 0) continue
      let slot = this.#chunks[row >>> CHUNK_BITS][this.base(row) + column] & mask
      while (table[slot] >= 0) slot = (slot + 1) & mask
      table[slot] = row
    }
    return table
  }
}

function mix(hash: number, word: number): number {
  const mixed = Math.imul(word, 0xcc9e2d51)
  const rotated = (hash ^ Math.imul((mixed << 15) | (mixed >>> 17), 0x1b873593)) | 0
  return (Math.imul((rotated << 13) | (rotated >>> 19), 5) + 0xe6546b64) | 0
}

function finish(hash: number): number {
  let h = hash ^ (hash >>> 16)
  h = Math.imul(h, 0x85ebca6b)
  h ^= h >>> 13
  h = Math.imul(h, 0xc2b2ae35)
  return (h ^ (h >>> 16)) | 0
}
