import { generateKeyPairSync } from 'node:crypto'
import type * as NodeCrypto from 'node:crypto'
import type * as NodeTls from 'node:tls'
import { describe, expect, it } from 'vitest'
import { runPrograms } from '../process/programs.test-support.ts'
import type { ProcessFunction } from '../process/program-options.ts'

type Crypto = typeof NodeCrypto

const run = async (program: ProcessFunction, seed = 1): Promise<{ said: string; unseeded: string[] }> => {
  const { stdout, stderr, world } = await runPrograms({ main: program }, { seed })
  expect(stderr.main).toBe('')
  return { said: stdout.main, unseeded: [...world.kernel.unseeded] }
}

const RSA = generateKeyPairSync('rsa', { modulusLength: 1024 }).privateKey

const MAKES: Readonly<Record<string, (crypto: Crypto, tls: typeof NodeTls) => string | Promise<string>>> = {
  'ed25519, x25519, ed448 and x448': ({ generateKeyPairSync }) =>
    (['ed25519', 'x25519', 'ed448', 'x448'] as const)
      .map((type) =>
        generateKeyPairSync(type as 'ed25519').privateKey.export({ format: 'pem', type: 'pkcs8' }),
      )
      .join(),
  'keys of curves': ({ generateKeyPairSync }) =>
    ['P-256', 'P-384', 'P-521', 'secp256k1', 'prime256v1']
      .map((namedCurve) => {
        const { privateKey, publicKey } = generateKeyPairSync('ec', {
          namedCurve,
          publicKeyEncoding: { format: 'pem', type: 'spki' },
          privateKeyEncoding: { format: 'pem', type: 'sec1' },
        })
        return privateKey + publicKey
      })
      .join(),
  'a pair that is made in the background': ({ generateKeyPair }) =>
    new Promise((resolve, reject) => {
      const options = { namedCurve: 'P-256', publicKeyEncoding: { format: 'jwk' } } as never
      generateKeyPair('ec', options, (error: unknown, publicKey: unknown) =>
        error === null ? resolve(JSON.stringify(publicKey)) : reject(error),
      )
    }),
  'WebCrypto’s keys': async ({ webcrypto: { subtle } }) => {
    const pair = (await subtle.generateKey({ name: 'ECDSA', namedCurve: 'P-384' }, true, ['sign'])) as {
      privateKey: Parameters<typeof subtle.exportKey>[1]
    }
    return JSON.stringify(await subtle.exportKey('jwk', pair.privateKey))
  },
  'an ECDH': ({ createECDH }) => createECDH('prime256v1').generateKeys('hex'),
  primes: ({ generatePrimeSync, checkPrimeSync }) => {
    const [plain, safe] = [
      generatePrimeSync(300, { bigint: true }),
      generatePrimeSync(64, { bigint: true, safe: true }),
    ]
    const right = checkPrimeSync(plain) && checkPrimeSync(safe) && checkPrimeSync((safe - 1n) / 2n)
    return `${plain} ${safe} ${plain.toString(2).length} ${safe.toString(2).length} ${right}`
  },
  'short primes': ({ generatePrimeSync, checkPrimeSync }) => {
    const made = Array.from({ length: 28 }, (_, i) => generatePrimeSync(2 + (i % 14), { bigint: true }))
    const right = made.every((prime, i) => checkPrimeSync(prime) && prime.toString(2).length === 2 + (i % 14))
    return `${made.join()} ${right ? 'are right' : 'are wrong'}`
  },
  'keys of session tickets': (_, { createServer }) => {
    const server = createServer({})
    const keys = server.getTicketKeys()
    const stays = server.getTicketKeys().equals(keys)
    server.setTicketKeys(Buffer.alloc(48, 7))
    const given = server.getTicketKeys().equals(Buffer.alloc(48, 7))
    return `${keys.toString('hex')} ${stays && given ? 'are right' : 'are wrong'}`
  },
}

describe('randomness of OpenSSL comes from the seed', () => {
  it.each(Object.keys(MAKES))('%s', async (name) => {
    const make = MAKES[name]
    const program: ProcessFunction = async ({ process, require }) => {
      process.stdout.write(await make(require('node:crypto'), require('node:tls')))
    }
    const first = await run(program)
    expect(first).toEqual(await run(program))
    expect(first.unseeded).toEqual([])
    expect(first.said).not.toContain('wrong')
    expect(first.said.length).toBeGreaterThan(40)
    expect((await run(program, 2)).said).not.toBe(first.said)
  })

  it('the padding of RSA, which a private key takes off again', async () => {
    const pem = RSA.export({ format: 'pem', type: 'pkcs8' })
    const program: ProcessFunction = ({ process, require }) => {
      const { publicEncrypt, privateDecrypt, constants } = require('node:crypto')
      for (const options of [
        { padding: constants.RSA_PKCS1_PADDING },
        { padding: constants.RSA_PKCS1_OAEP_PADDING },
        { oaepHash: 'sha256', oaepLabel: Buffer.from('label') },
      ]) {
        const secret = publicEncrypt({ key: pem, ...options }, Buffer.from('message'))
        if (options.padding === constants.RSA_PKCS1_PADDING)
          process.stdout.write(`${secret.toString('hex')}\n`)
        else
          process.stdout.write(
            `${secret.toString('hex')} ${privateDecrypt({ key: pem, ...options }, secret)}\n`,
          )
      }
    }
    const first = await run(program)
    expect(first).toEqual(await run(program))
    expect(first.unseeded).toEqual([])
    expect(first.said.match(/ message\n/g)).toHaveLength(2)
  })

  it('the padding of WebCrypto, which refuses what is too long as outside', async () => {
    const jwk = RSA.export({ format: 'jwk' })
    const program: ProcessFunction = async ({ process, require }) => {
      const { webcrypto, privateDecrypt, constants } = require('node:crypto')
      const { subtle } = webcrypto
      const form = { name: 'RSA-OAEP', hash: 'SHA-256' }
      const { kty, n, e } = jwk
      const key = await subtle.importKey('jwk', { kty, n, e }, form, false, ['encrypt'])
      const label = Buffer.from('label')
      const secret = await subtle.encrypt({ ...form, label }, key, Buffer.from('message'))
      const how = { padding: constants.RSA_PKCS1_OAEP_PADDING, oaepHash: 'sha256', oaepLabel: label }
      const opened = privateDecrypt({ key: jwk, format: 'jwk', ...how }, Buffer.from(secret))
      const refused = await subtle.encrypt(form, key, Buffer.alloc(100)).catch(({ name }: Error) => name)
      process.stdout.write(
        `${secret.constructor.name} ${Buffer.from(secret).toString('hex')} ${opened} ${refused}`,
      )
    }
    const first = await run(program)
    expect(first).toEqual(await run(program))
    expect(first.unseeded).toEqual([])
    expect(first.said).toMatch(/^ArrayBuffer [0-9a-f]{256} message OperationError$/)
    expect((await run(program, 2)).said).not.toBe(first.said)
  })
})

describe('randomness that no seed decides', () => {
  it('is noted with the name of its call', async () => {
    const { unseeded } = await run(({ require }) => {
      const { generateKeyPairSync, sign, createSign } = require('node:crypto')
      const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey
      generateKeyPairSync('rsa', { modulusLength: 512 })
      sign('sha256', Buffer.from('x'), ec)
      createSign('sha256')
        .update('x')
        .sign(ec.export({ format: 'pem', type: 'pkcs8' }))
      sign(null, Buffer.from('x'), generateKeyPairSync('ed25519').privateKey)
    })
    expect(unseeded).toEqual(["crypto.generateKeyPair('rsa')", 'crypto.sign with ECDSA'])
  })

  it('is noted for Diffie-Hellman and for encrypted private keys', async () => {
    const { unseeded } = await run(({ require }) => {
      const { createDiffieHellman, getDiffieHellman, generateKeyPairSync } = require('node:crypto')
      createDiffieHellman(512)
      getDiffieHellman('modp5').generateKeys()
      const { privateKey } = generateKeyPairSync('ed25519')
      privateKey.export({ format: 'pem', type: 'pkcs8', cipher: 'aes-256-cbc', passphrase: 'x' })
    })
    expect(unseeded).toEqual([
      'crypto.createDiffieHellman',
      'diffieHellmanGroup.generateKeys',
      'the encryption of a private key',
    ])
  })

  it('is noted for keys that are encapsulated', async () => {
    const { said, unseeded } = await run(({ process, require }) => {
      const { encapsulate, generateKeyPairSync } = require('node:crypto')
      if (encapsulate === undefined) return
      encapsulate(generateKeyPairSync('x25519').publicKey)
      process.stdout.write('done')
    })
    expect(unseeded).toEqual(said === 'done' ? ['crypto.encapsulate'] : [])
  })

  it('is noted for signatures that are made in the background', async () => {
    const signInBackground =
      (type: 'ec' | 'ed25519', hash: string | null): ProcessFunction =>
      ({ require }) => {
        const { generateKeyPairSync, sign } = require('node:crypto')
        const { privateKey } = generateKeyPairSync(type, { namedCurve: 'P-256' })
        sign(hash, Buffer.from('x'), privateKey, () => {})
      }
    expect((await run(signInBackground('ec', 'sha256'))).unseeded).toEqual(['crypto.sign with ECDSA'])
    expect((await run(signInBackground('ed25519', null))).unseeded).toEqual([])
  })
})
