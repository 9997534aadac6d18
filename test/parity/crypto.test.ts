/** Asynchronous cryptography: results, errors, order of completion. Random values are only looked at from outside. */
import { describe } from 'vitest'
import { same } from './parity.ts'

describe('crypto', () => {
  same('keys are derived and hashes made as everywhere', async (log, require) => {
    const crypto = require('node:crypto')
    const { promisify } = require('node:util')
    const hex = (value: Buffer | ArrayBuffer) => Buffer.from(value as ArrayBuffer).toString('hex')
    log(hex(await promisify(crypto.pbkdf2)('password', 'salt', 100, 16, 'sha256')))
    log(hex(await promisify(crypto.scrypt)('password', 'salt', 16, { N: 16 })))
    log(hex(await promisify(crypto.hkdf)('sha256', 'key', 'salt', 'info', 16)))
    log(crypto.createHash('sha1').update('a').update('b').digest('hex'))
    log(crypto.createHmac('md5', 'k').update('v').digest('base64url'))
    const cipher = crypto.createCipheriv('aes-128-gcm', Buffer.alloc(16), Buffer.alloc(12))
    const sealed = Buffer.concat([cipher.update('secret'), cipher.final()])
    log(hex(sealed), hex(cipher.getAuthTag()))
    const opener = crypto.createDecipheriv('aes-128-gcm', Buffer.alloc(16), Buffer.alloc(12))
    opener.setAuthTag(Buffer.alloc(16))
    opener.update(sealed)
    try {
      opener.final()
    } catch ({ message }: any) {
      log(message)
    }
  })

  same('random values have their lengths and ranges', async (log, require) => {
    const crypto = require('node:crypto')
    const { promisify } = require('node:util')
    log((await promisify(crypto.randomBytes)(12)).length, crypto.randomBytes(0).length)
    log(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/.test(crypto.randomUUID()))
    const numbers = Array.from({ length: 100 }, () => crypto.randomInt(3, 6) as number)
    log(
      [...new Set(numbers)].sort((a, b) => a - b),
      (await promisify(crypto.randomInt)(5)) < 5,
    )
    const filled = new Uint32Array(4)
    log(
      crypto.randomFillSync(filled) === filled,
      filled.some((value) => value !== 0),
    )
    log(crypto.getRandomValues(new Uint8Array(3)).length, crypto.webcrypto === globalThis.crypto)
    for (const call of [
      () => crypto.randomBytes(-1),
      () => crypto.randomInt(5, 5),
      () => crypto.randomBytes('x'),
      () => crypto.getRandomValues(new Uint8Array(70_000)),
      () => crypto.randomFillSync(Buffer.alloc(2), 3),
    ]) {
      try {
        log(call())
      } catch ({ code, name, message }: any) {
        log(code, name, message)
      }
    }
  })

  same('callbacks come later, in the order of one queue', async (log, require) => {
    const crypto = require('node:crypto')
    const order: string[] = []
    crypto.randomBytes(4, () => order.push('random'))
    process.nextTick(() => order.push('tick'))
    order.push('main')
    await new Promise((resolve) => crypto.pbkdf2('a', 'b', 1, 8, 'sha1', resolve))
    await new Promise((resolve) => setTimeout(resolve, 20))
    log(order)
    try {
      crypto.pbkdf2('a', 'b', 0, 8, 'sha1', () => {})
    } catch ({ code, message }: any) {
      log(code, message)
    }
    crypto.pbkdf2('a', 'b', 1, 8, 'sha1', () => {
      process.on('uncaughtException', ({ message }) => log('uncaught', message))
      throw new Error('in a callback')
    })
  })

  same('key pairs sign, seal and travel', async (log, require) => {
    const crypto = require('node:crypto')
    const { promisify } = require('node:util')
    const { publicKey, privateKey } = await promisify(crypto.generateKeyPair)('ed25519')
    const signature = crypto.sign(null, Buffer.from('text'), privateKey)
    log(signature.length, crypto.verify(null, Buffer.from('text'), publicKey, signature))
    log(crypto.verify(null, Buffer.from('other'), publicKey, signature), publicKey.asymmetricKeyType)
    const pem = publicKey.export({ type: 'spki', format: 'pem' })
    log(crypto.createPublicKey(pem).equals(publicKey), pem.split('\n')[0])
    const secret = await promisify(crypto.generateKey)('aes', { length: 128 })
    log(secret.type, secret.symmetricKeySize)
    await new Promise<void>((resolve) => {
      crypto.sign('sha256', Buffer.from('x'), { key: privateKey }, (error: any) => {
        log(error instanceof Error)
        resolve()
      })
    })
  })

  same('WebCrypto digests, encrypts and refuses', async (log) => {
    const { subtle } = globalThis.crypto
    const bytes = new TextEncoder().encode('text')
    log(Buffer.from(await subtle.digest('SHA-256', bytes)).toString('hex'))
    const key = await subtle.importKey('raw', new Uint8Array(16), 'AES-GCM', false, ['encrypt'])
    const sealed = await subtle.encrypt({ name: 'AES-GCM', iv: new Uint8Array(12) }, key, bytes)
    log(Buffer.from(sealed).toString('hex'), key.type, key.extractable, key.usages)
    for (const attempt of [
      () => subtle.exportKey('raw', key),
      () => subtle.decrypt({ name: 'AES-GCM', iv: new Uint8Array(12) }, key, sealed),
      () => subtle.digest('MD5', bytes),
      () => subtle.importKey('raw', new Uint8Array(3), 'AES-GCM', false, ['encrypt']),
    ]) {
      await attempt().then(
        () => log('fine'),
        ({ name }: any) => log(name),
      )
    }
    const pair: any = await subtle.generateKey({ name: 'ECDSA', namedCurve: 'P-256' }, true, [
      'sign',
      'verify',
    ])
    const signature = await subtle.sign({ name: 'ECDSA', hash: 'SHA-256' }, pair.privateKey, bytes)
    log(await subtle.verify({ name: 'ECDSA', hash: 'SHA-256' }, pair.publicKey, signature, bytes))
  })

  same('hashes and ciphers are streams', async (log, require) => {
    const crypto = require('node:crypto')
    const { pipeline } = require('node:stream/promises')
    const { Readable } = require('node:stream')
    const hash = crypto.createHash('sha256')
    for (const event of ['finish', 'end', 'close', 'data']) hash.on(event, () => log(event))
    await pipeline(Readable.from(['one', 'two']), hash)
    log(crypto.createHash('sha256').update('onetwo').digest('hex').length)
    try {
      hash.digest()
    } catch ({ code, message }: any) {
      log(code, message)
    }
  })
})
