/**
 * The running hash of a run. What feeds it: every step and choice; every byte that is sent, written to a file or printed;
 * names that are made, moved and removed, where links lead, modes, owners and times; signals and exits; arguments and
 * environments of children; messages between threads; published events and outcomes of operations. Two runs of one seed are the same run exactly if
 * their hashes agree after every step. Not cryptographic: it must be cheap, order-sensitive and identical everywhere.
 *
 * Programs print and pass on paths of their project. Two clones of a project must have the same runs, so the folder where
 * the project lies is left out of texts.
 */
import { Buffer } from 'node:buffer'
import { imul } from './arithmetic.ts'

/** The bytes in hexadecimal: every run has a digest, and V8 writes numbers in other bases slowly. */
const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'))

const HIDDEN = '~'

/** Watches what a run feeds into its hash: for the account of one step. */
export interface HashObserver {
  choice(): void
  number(value: number): void
  /** `act` is what a process does with them: `sends`, `writes`, `prints`. */
  bytes(act: string, bytes: Uint8Array): void
  text(act: string, text: string): void
}

export class RunHash {
  /** Null but in runs that are made to account for a step. */
  observer: HashObserver | null = null
  private a = 0x2545f491
  private b = 0x6c078965
  private readonly hidden: string[] = []

  /** Mixes in one integer (its low 32 bits). */
  add(value: number): void {
    const a = imul(this.a ^ value, 0x9e3779b1)
    this.a = (a << 15) | (a >>> 17)
    this.b = (imul(this.b, 5) + this.a + 0xe6546b64) | 0
  }

  /** Mixes in a choice that is not the simplest. */
  addChoice(value: number): void {
    if (this.observer !== null) this.observer.choice()
    this.add(value)
  }

  /** Mixes in an integer up to 2^53. */
  addWide(value: number): void {
    if (this.observer !== null) this.observer.number(value)
    this.add(value | 0)
    this.add((value / 0x1_0000_0000) | 0)
  }

  /** Mixes in bytes, four at a time. */
  addBytes(bytes: Uint8Array, act: string = 'sends'): void {
    if (this.observer !== null) this.observer.bytes(act, bytes)
    const end = bytes.length & ~3
    let h = this.a ^ bytes.length
    let i = 0
    for (; i < end; i += 4) {
      h = imul(h ^ (bytes[i] | (bytes[i + 1] << 8) | (bytes[i + 2] << 16) | (bytes[i + 3] << 24)), 0x85ebca6b)
      h ^= h >>> 15
    }
    for (; i < bytes.length; i++) h = imul(h ^ bytes[i], 0x01000193)
    this.add(h)
  }

  /** Leaves a folder of the real machine out of texts from now on. */
  hide(folder: string): void {
    if (folder !== '/' && !this.hidden.includes(folder)) this.hidden.push(folder)
  }

  /** Mixes in a text; `act` says what a process does with it. */
  addText(text: string, act: string): void {
    if (this.observer !== null) this.observer.text(act, text)
    let shown = text
    for (const folder of this.hidden) if (shown.includes(folder)) shown = shown.replaceAll(folder, HIDDEN)
    let h = this.a ^ shown.length
    for (let i = 0; i < shown.length; i++) h = imul(h ^ shown.charCodeAt(i), 0x01000193)
    this.add(h)
  }

  /** Mixes in bytes that a program printed: text, as a rule. */
  addPrinted(bytes: Uint8Array, act: string): void {
    const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    if (this.hidden.some((folder) => buffer.includes(folder))) this.addText(buffer.toString('latin1'), act)
    else this.addBytes(bytes, act)
  }

  /** 32 bits of the state, for comparison step by step. */
  get value(): number {
    return (this.a ^ imul(this.b ^ (this.b >>> 16), 0xc2b2ae35)) >>> 0
  }

  /** The whole state as 16 hexadecimal digits. */
  digest(): string {
    return hex32(this.a) + hex32(this.b)
  }
}

function hex32(word: number): string {
  return HEX[word >>> 24] + HEX[(word >>> 16) & 255] + HEX[(word >>> 8) & 255] + HEX[word & 255]
}
