import { inspect } from 'node:util'
import { describe, expect, it } from 'vitest'
import { runOne } from '../process/programs.test-support.ts'

type Subtle = typeof crypto.subtle

/** What WebCrypto makes, without the random parts. */
const MAKES: Readonly<Record<string, (subtle: Subtle) => Promise<unknown>>> = {
  'a secret key': (subtle) =>
    subtle.generateKey({ name: 'AES-GCM', length: 256 }, false, ['encrypt', 'decrypt']),
  'a key that ends within a byte': async (subtle) => {
    const key = await subtle.generateKey({ name: 'HMAC', hash: 'SHA-256', length: 13 }, true, ['sign'])
    const bytes = new Uint8Array(await subtle.exportKey('raw', key))
    return [key, bytes.length, bytes[1] & 7]
  },
  'a key pair': (subtle) =>
    subtle.generateKey({ name: 'ECDSA', namedCurve: 'P-256' }, false, ['sign', 'verify']),
  'a signature that holds': async (subtle) => {
    const { publicKey, privateKey } = (await subtle.generateKey('Ed25519', true, [
      'sign',
      'verify',
    ])) as CryptoKeyPair
    const signature = await subtle.sign('Ed25519', privateKey, new Uint8Array(3))
    return [
      signature.constructor.name,
      await subtle.verify('Ed25519', publicKey, signature, new Uint8Array(3)),
      await subtle.verify('Ed25519', publicKey, signature, new Uint8Array(4)),
    ]
  },
  'a digest': (subtle) => subtle.digest('SHA-256', new Uint8Array(3)),
  'a failure': async (subtle) => {
    const key = await subtle.generateKey({ name: 'AES-GCM', length: 128 }, false, ['decrypt'])
    const iv = new Uint8Array(12)
    return subtle
      .decrypt({ name: 'AES-GCM', iv }, key, new Uint8Array(32))
      .catch((error: Error) => [error.name, error.message, (error.cause as Error).message])
  },
}

type CryptoKeyPair = { publicKey: CryptoKey; privateKey: CryptoKey }
type CryptoKey = Awaited<ReturnType<Subtle['importKey']>>

describe('WebCrypto in the tank makes what it makes outside', () => {
  it.each(Object.keys(MAKES))('%s', async (name) => {
    const describeResult = async (subtle: Subtle): Promise<string> => {
      try {
        return inspect(await MAKES[name](subtle), { depth: 5 })
      } catch (error) {
        return `rejects with ${String(error)}`
      }
    }
    const { stdout, stderr } = await runOne(async ({ process, globalThis: { crypto: own } }) => {
      process.stdout.write(await describeResult(own.subtle))
    })
    expect(stderr).toBe('')
    expect(stdout).toBe(await describeResult(crypto.subtle))
  })
})
