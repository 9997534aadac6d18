/**
 * Primes and padding from the process's entropy, where OpenSSL draws real randomness. A prime is searched from a random
 * odd number upwards, as OpenSSL does. Encryption with RSA pads here (PKCS #1 v1.5 and OAEP, RFC 8017) and leaves the
 * arithmetic to OpenSSL.
 *
 * Primes with a remainder (`add`, `rem`), and safe primes of less than 16 or more than 256 bits, are left to OpenSSL.
 */
import { Buffer } from 'node:buffer'
import { checkPrimeSync, constants, createHash, publicEncrypt } from 'node:crypto'
import { ceil } from '../../kernel/arithmetic.ts'
import { current } from '../process/current.ts'
import { type Binding, takeInternals } from '../library/internals.ts'
import { type KeyArguments, nativeKey, partAtData } from './key-arguments.ts'
import { noteUnseeded } from './unseeded-randomness.ts'

type JobResult = readonly [error: unknown, value: unknown]
type JobClass = new (mode: number, ...args: any[]) => { run(): JobResult }

const MOST_SAFE_BITS = 256
/** A prime of fewer bits is drawn from all there are: its two highest bits need not be set. */
const FEW_BITS = 16

export function seededPrimes(Native: JobClass): JobClass {
  return class {
    private readonly job: InstanceType<JobClass>
    private readonly bits: number
    private readonly safe: boolean
    private readonly isOurs: boolean

    constructor(mode: number, bits: number, safe: boolean, add?: unknown, rem?: unknown) {
      this.job = new Native(mode, bits, safe, add, rem) // it checks the arguments
      this.bits = bits
      this.safe = safe
      this.isOurs =
        add == null && rem == null && bits >= 2 && (!safe || (bits >= FEW_BITS && bits <= MOST_SAFE_BITS))
    }

    run(): JobResult {
      if (!this.isOurs) {
        noteUnseeded('crypto.generatePrime')
        return this.job.run()
      }
      const prime = searchPrime(this.bits, this.safe)
      const bytes = new Uint8Array(ceil(this.bits / 8))
      bytes.set(Buffer.from(prime.toString(16).padStart(bytes.length * 2, '0'), 'hex'))
      return [undefined, bytes.buffer]
    }
  }
}

function searchPrime(bits: number, safe: boolean): bigint {
  if (bits < FEW_BITS) return shortPrime(bits)
  const bytes = Buffer.alloc(ceil(bits / 8))
  const top = 3n << BigInt(bits - 2)
  const step = safe ? 4n : 2n
  for (;;) {
    current().entropy.fill(bytes)
    const drawn = BigInt(`0x${bytes.toString('hex')}`) & ((1n << BigInt(bits)) - 1n)
    let candidate = drawn | top | (safe ? 3n : 1n)
    for (; candidate >> BigInt(bits) === 0n; candidate += step) {
      if (checkPrimeSync(candidate) && (!safe || checkPrimeSync(candidate >> 1n))) return candidate
    }
  }
}

function shortPrime(bits: number): bigint {
  for (;;) {
    const candidate = BigInt(2 ** (bits - 1) + (current().entropy.uint32() % 2 ** (bits - 1)))
    if (checkPrimeSync(candidate)) return candidate
  }
}

const PKCS1_PADDING = 1
const NO_PADDING = 3
const OAEP_PADDING = 4

/** `publicEncrypt` with padding from the process's entropy. What cannot be padded here is left to OpenSSL. */
export function seededPublicEncrypt(real: Binding): (...args: any[]) => unknown {
  return (...args) => {
    const [key, [data, padding, oaepHash, oaepLabel, mgf1Hash]] = partAtData(args)
    const encrypt = (bytes: unknown, how: number): unknown =>
      real.publicEncrypt(...key, bytes, how, oaepHash, oaepLabel, mgf1Hash)
    const lengthBytes = modulusBytes(real, key)
    const message = bytesOf(data)
    const hash = oaepHash ?? 'sha1'
    const padded =
      lengthBytes === null
        ? null
        : padding === PKCS1_PADDING
          ? padPkcs1(message, lengthBytes)
          : padding === OAEP_PADDING
            ? padOaep(message, lengthBytes, { hash, maskHash: mgf1Hash ?? hash, label: bytesOf(oaepLabel) })
            : null
    if (padded !== null) return encrypt(padded, NO_PADDING)
    if (padding !== NO_PADDING) noteUnseeded('crypto.publicEncrypt')
    return encrypt(data, padding)
  }
}

/** WebCrypto's RSA-OAEP, with padding from the process's entropy. */
export function seededRsaCipher(real: Binding): JobClass {
  return class {
    private readonly job: { run(): JobResult }
    private readonly args: readonly any[]

    constructor(mode: number, ...args: any[]) {
      this.job = new real.RSACipherJob(mode, ...args) // it checks the arguments
      this.args = args
    }

    run(): JobResult {
      const [direction, key, data, variant, hash, label] = this.args
      if (direction !== real.kWebCryptoCipherEncrypt) return this.job.run()
      const lengthBytes = variant === real.kKeyVariantRSA_OAEP ? modulusBytes(real, [key]) : null
      const padded =
        lengthBytes === null
          ? null
          : padOaep(bytesOf(data), lengthBytes, { hash, maskHash: hash, label: bytesOf(label) })
      if (padded === null) return this.job.run() // a message that is too long, which OpenSSL says
      const { PublicKeyObject } = takeInternals().require('internal/crypto/keys')
      const sealed = publicEncrypt(
        { key: new PublicKeyObject(key), padding: constants.RSA_NO_PADDING },
        padded,
      )
      return [undefined, new Uint8Array(sealed).buffer]
    }
  }
}

/** The length of an RSA key's modulus; null for what is no such key. */
function modulusBytes(real: Binding, key: KeyArguments): number | null {
  try {
    const { kty, n } = nativeKey(real, real.kKeyTypePublic, key).exportJwk({}, false)
    return kty === 'RSA' ? Buffer.from(n, 'base64url').length : null
  } catch {
    return null
  }
}

function bytesOf(data: unknown): Buffer {
  if (data === undefined || data === null) return Buffer.alloc(0)
  if (!ArrayBuffer.isView(data)) return Buffer.from(data as ArrayBuffer)
  return Buffer.from(data.buffer, data.byteOffset, data.byteLength)
}

function padPkcs1(message: Buffer, lengthBytes: number): Buffer | null {
  const filler = Buffer.alloc(lengthBytes - message.length - 3 > 0 ? lengthBytes - message.length - 3 : 0)
  if (filler.length < 8) return null
  const { entropy } = current()
  for (let i = 0; i < filler.length; i++) while (filler[i] === 0) filler[i] = entropy.uint32() & 255
  return Buffer.concat([Buffer.of(0, 2), filler, Buffer.of(0), message])
}

function padOaep(
  message: Buffer,
  lengthBytes: number,
  { hash, maskHash, label }: { hash: string; maskHash: string; label: Buffer },
): Buffer | null {
  let labelHash: Buffer
  try {
    labelHash = createHash(hash).update(label).digest()
  } catch {
    return null
  }
  const zeros = lengthBytes - message.length - 2 * labelHash.length - 2
  if (zeros < 0) return null
  const block = Buffer.concat([labelHash, Buffer.alloc(zeros), Buffer.of(1), message])
  const seed = Buffer.alloc(labelHash.length)
  current().entropy.fill(seed)
  const masked = xor(block, mask(seed, block.length, maskHash))
  return Buffer.concat([Buffer.of(0), xor(seed, mask(masked, seed.length, maskHash)), masked])
}

/** MGF1 of RFC 8017. */
function mask(seed: Buffer, lengthBytes: number, hash: string): Buffer {
  const parts: Buffer[] = []
  for (let counter = 0, done = 0; done < lengthBytes; counter++) {
    const number = Buffer.alloc(4)
    number.writeUInt32BE(counter)
    const part = createHash(hash).update(seed).update(number).digest()
    parts.push(part)
    done += part.length
  }
  return Buffer.concat(parts).subarray(0, lengthBytes)
}

function xor(a: Buffer, b: Buffer): Buffer {
  const sum = Buffer.alloc(a.length)
  for (let i = 0; i < a.length; i++) sum[i] = a[i] ^ b[i]
  return sum
}
