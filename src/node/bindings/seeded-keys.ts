/**
 * Key pairs from the process's entropy: the same seed makes the same keys. OpenSSL takes no seed for key generation, but
 * it imports a private key from its bytes, and for these kinds any bytes are a key (Ed25519, Ed448, X25519, X448), or any
 * number below the order of the curve (P-256, P-384, P-521, secp256k1). RSA, DSA and other curves stay really random: see
 * unseeded-randomness.ts.
 */
import { Buffer } from 'node:buffer'
import { createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto'
import type { Entropy } from '../../kernel/prng.ts'
import { current } from '../process/current.ts'
import { type Binding, takeInternals } from '../library/internals.ts'
import { noteUnseeded } from './unseeded-randomness.ts'

interface Curve {
  /** The object identifier of the curve, encoded. */
  readonly oid: string
  readonly order: Buffer
}

const P256: Curve = curve(
  '2a8648ce3d030107',
  'ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551',
)
const P384: Curve = curve('2b81040022', `${'f'.repeat(48)}c7634d81f4372ddf581a0db248b0a77aecec196accc52973`)
const P521: Curve = curve(
  '2b81040023',
  `01${'f'.repeat(64)}fa51868783bf2f966b7fcc0148f709a5d03bb5c9b8899c47aebb6fb71e91386409`,
)
const SECP256K1: Curve = curve(
  '2b8104000a',
  'fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141',
)

const CURVES: ReadonlyMap<string, Curve> = new Map([
  ['P-256', P256],
  ['prime256v1', P256],
  ['secp256r1', P256],
  ['P-384', P384],
  ['secp384r1', P384],
  ['P-521', P521],
  ['secp521r1', P521],
  ['secp256k1', SECP256K1],
])

function curve(oid: string, order: string): Curve {
  return { oid, order: Buffer.from(order, 'hex') }
}

/** Kinds of keys that any bytes make: their object identifier 1.3.101.n, encoded, and their length. */
const BARE_KEYS: Readonly<Record<string, readonly [oid: string, lengthBytes: number]>> = {
  X25519: ['2b656e', 32],
  X448: ['2b656f', 56],
  Ed25519: ['2b6570', 32],
  Ed448: ['2b6571', 57],
}

type JobResult = readonly [error: unknown, value: unknown]
type JobClass = new (mode: number, ...args: any[]) => { run(): JobResult }

/** How the two keys of a pair are given out: as handles, or encoded. */
type Encodings = readonly [
  publicFormat: number | undefined,
  publicType: number | undefined,
  privateFormat: number | undefined,
  privateType: number | undefined,
  cipher: unknown,
  passphrase: unknown,
]

/** A private number of a curve, from 1 to its order less 1; null for a curve that is not known here. */
export function drawScalar(name: string, entropy: Entropy): Buffer | null {
  const found = CURVES.get(name)
  if (found === undefined) return null
  const scalar = Buffer.alloc(found.order.length)
  do {
    entropy.fill(scalar)
    if (found === P521) scalar[0] &= 1
  } while (scalar.every((byte) => byte === 0) || scalar.compare(found.order) >= 0)
  return scalar
}

/** Pairs for elliptic curves. Curves and encodings that are not known here are left to OpenSSL. */
export function curveKeyPairs(real: Binding, Native: JobClass): JobClass {
  return class {
    private readonly native: InstanceType<JobClass>
    private readonly args: readonly any[]

    constructor(mode: number, ...args: any[]) {
      this.native = new Native(mode, ...args) // it checks the arguments
      this.args = args
    }

    run(): JobResult {
      const [name, parameters, ...encodings] = this.args
      // WebCrypto's curves are always named, and late versions of Node do not say so.
      const isNamed = parameters === undefined || parameters === real.OPENSSL_EC_NAMED_CURVE
      const scalar = isNamed ? drawScalar(name, current().entropy) : null
      if (scalar === null) {
        noteUnseeded(`crypto.generateKeyPair('ec') on ${name}`)
        return this.native.run()
      }
      return [undefined, encode(real, curveKey(CURVES.get(name)!, scalar), encodings as unknown as Encodings)]
    }
  }
}

/** Pairs of the kinds that any bytes make. A job names its kind by OpenSSL's number; from Node 26 on, by its name. */
export function bareKeyPairs(real: Binding, Native: JobClass): JobClass {
  const idOf = (name: string): unknown => real[`EVP_PKEY_${name.toUpperCase()}`] ?? name
  const kinds = new Map(Object.entries(BARE_KEYS).map(([name, kind]) => [idOf(name), kind]))
  return class {
    private readonly native: InstanceType<JobClass>
    private readonly args: readonly any[]

    constructor(mode: number, ...args: any[]) {
      this.native = new Native(mode, ...args) // it checks the arguments
      this.args = args
    }

    run(): JobResult {
      const [id, ...encodings] = this.args
      const kind = kinds.get(id)
      if (kind === undefined) {
        noteUnseeded('crypto.generateKeyPair')
        return this.native.run()
      }
      const [oid, lengthBytes] = kind
      const seed = Buffer.alloc(lengthBytes)
      current().entropy.fill(seed)
      const key = der(
        0x30,
        der(0x02, Buffer.of(0)),
        der(0x30, der(0x06, Buffer.from(oid, 'hex'))),
        der(0x04, der(0x04, seed)),
      )
      return [undefined, encode(real, key, encodings as unknown as Encodings)]
    }
  }
}

/** PKCS #8 with the public key inside, as OpenSSL writes the keys that it makes itself. */
function curveKey({ oid }: Curve, scalar: Buffer): Buffer {
  const algorithm = der(
    0x30,
    der(0x06, Buffer.from('2a8648ce3d0201', 'hex')),
    der(0x06, Buffer.from(oid, 'hex')),
  )
  const version = der(0x02, Buffer.of(0))
  const secret = [der(0x02, Buffer.of(1)), der(0x04, scalar)]
  const bare = der(0x30, version, algorithm, der(0x04, der(0x30, ...secret)))
  const info = createPublicKey(createPrivateKey({ key: bare, format: 'der', type: 'pkcs8' }))
  // The point is the end of the public key: a byte for its form, and two coordinates.
  const point = info.export({ format: 'der', type: 'spki' }).subarray(-(1 + 2 * scalar.length))
  const shown = der(0xa1, der(0x03, Buffer.of(0), point))
  return der(0x30, version, algorithm, der(0x04, der(0x30, ...secret, shown)))
}

/** What a native job gives for a pair: handles, or keys in the encodings that were asked for. */
function encode(real: Binding, pkcs8: Buffer, encodings: Encodings): unknown {
  const [publicFormat, publicType, privateFormat, privateType, cipher, passphrase] = encodings
  const privateKey = createPrivateKey({ key: pkcs8, format: 'der', type: 'pkcs8' })
  const privateHandle = handleOf(privateKey)
  const publicHandle = handleOf(createPublicKey(privateKey))
  if (cipher !== undefined && cipher !== null) noteUnseeded('the encryption of a private key')
  const written = (handle: any, format: number | undefined, ...how: unknown[]): unknown => {
    if (format === undefined) return handle
    return format === real.kKeyFormatJWK ? handle.exportJwk({}, false) : handle.export(format, ...how)
  }
  return [
    written(publicHandle, publicFormat, publicType),
    written(privateHandle, privateFormat, privateType, cipher, passphrase),
  ]
}

/** The native key of a key object: Node 26 and late versions of 24 have a function for it, older ones a property. */
function handleOf(key: KeyObject): any {
  const { require } = takeInternals()
  const { getKeyObjectHandle } = require('internal/crypto/keys')
  if (getKeyObjectHandle !== undefined) return getKeyObjectHandle(key)
  return (key as unknown as Binding)[require('internal/crypto/util').kHandle]
}

/** A value of ASN.1 in its distinguished encoding. */
function der(tag: number, ...parts: readonly Buffer[]): Buffer {
  const content = Buffer.concat(parts)
  const { length } = content
  const head =
    length < 0x80
      ? [tag, length]
      : length < 0x100
        ? [tag, 0x81, length]
        : [tag, 0x82, length >> 8, length & 255]
  return Buffer.concat([Buffer.from(head), content])
}

/** `createECDH`: its keys come from the process's entropy too. */
export function seededEcdh(real: Binding): unknown {
  const made = {
    ECDH: class extends real.ECDH {
      private readonly curve: string

      constructor(curve: string) {
        super(curve)
        this.curve = curve
      }

      generateKeys(): unknown {
        const scalar = drawScalar(this.curve, current().entropy)
        if (scalar !== null) return super.setPrivateKey(scalar)
        noteUnseeded(`ecdh.generateKeys on ${this.curve}`)
        return super.generateKeys()
      }
    },
  }
  return made.ECDH
}
