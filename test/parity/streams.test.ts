/** Streams, web streams, compression, crypto and abort signals: order of events, errors, ends. */
import { describe } from 'vitest'
import { same } from './parity.ts'

describe('streams', () => {
  same('a pipeline tells of success and failure in one order', async (log, require) => {
    const { pipeline, PassThrough, Readable, Transform, Writable } = require('node:stream')
    const watch = (name: string, stream: any) => {
      for (const event of ['end', 'finish', 'close', 'error', 'prefinish'])
        stream.on(event, (error: any) => log(name, event, error?.message))
      return stream
    }
    const sink = () =>
      new Writable({ write: (_chunk: unknown, _encoding: unknown, done: () => void) => setImmediate(done) })
    await new Promise<void>((resolve) => {
      pipeline(
        watch('source', Readable.from(['a', 'b'])),
        watch('middle', new PassThrough()),
        watch('sink', sink()),
        (error: any) => {
          log('done', error)
          resolve()
        },
      )
    })
    const failing = new Transform({
      transform: (_chunk: unknown, _encoding: unknown, done: (error: Error) => void) => done(new Error('no')),
    })
    await new Promise<void>((resolve) => {
      pipeline(
        watch('source', Readable.from(['a', 'b'])),
        watch('middle', failing),
        watch('sink', sink()),
        (error: any) => {
          log('done', error.message)
          setImmediate(resolve)
        },
      )
    })
  })

  same('operators and their abort signals', async (log, require) => {
    const { Readable } = require('node:stream')
    const { setTimeout: wait } = require('node:timers/promises')
    log(
      await Readable.from([1, 2, 3, 4])
        .filter((x: number) => x % 2 === 0)
        .map((x: number) => x * 10)
        .toArray(),
    )
    const order = await Readable.from([30, 10, 20])
      .map(async (ms: number) => (await wait(ms), ms), { concurrency: 3 })
      .toArray()
    log(order)
    const controller = new AbortController()
    setTimeout(() => controller.abort(), 10)
    await Readable.from([1, 2])
      .forEach((_x: number, { signal }: any) => wait(10_000, null, { signal }), { signal: controller.signal })
      .catch(({ name, code }: any) => log(name, code))
  })

  same('back-pressure between a fast source and a slow sink', (log, require) => {
    const { Readable, Writable } = require('node:stream')
    let read = 0
    let most = 0
    let written = 0
    const source = new Readable({
      highWaterMark: 4,
      objectMode: true,
      read() {
        this.push(read < 50 ? read++ : null)
      },
    })
    const sink = new Writable({
      highWaterMark: 2,
      objectMode: true,
      write(_chunk: unknown, _encoding: unknown, done: () => void) {
        most = Math.max(most, read - written++)
        setImmediate(done)
      },
    })
    source.pipe(sink).on('finish', () => log(read, written, most))
  })

  same('gzip and brotli, there and back, and broken input', async (log, require) => {
    const zlib = require('node:zlib')
    const { promisify } = require('node:util')
    const text = 'wave '.repeat(1000)
    for (const [pack, unpack] of [
      ['gzip', 'gunzip'],
      ['deflate', 'inflate'],
      ['brotliCompress', 'brotliDecompress'],
    ]) {
      const packed = await promisify(zlib[pack])(text)
      log(pack, packed.length, `${await promisify(zlib[unpack])(packed)}` === text)
    }
    const broken = promisify(zlib.gunzip)('nonsense')
    await broken.catch(({ code, errno, message }: any) => log(code, errno, message))
    const stream = zlib.createGunzip()
    for (const event of ['data', 'end', 'close', 'error'])
      stream.on(event, (error: any) => log(event, error?.code))
    stream.end(zlib.gzipSync('cut off').subarray(0, 12))
  })

  same('web streams: tee, cancel, transform, compression, conversion', async (log, require) => {
    const { Readable } = require('node:stream')
    const source = (label: string) =>
      new ReadableStream({
        start: (controller) => controller.enqueue(`${label}1`),
        pull: (controller) => {
          controller.enqueue(`${label}2`)
          controller.close()
        },
        cancel: (reason) => log('cancelled', reason),
      })
    const [left, right] = source('t').tee()
    for await (const chunk of left) log('left', chunk)
    for await (const chunk of right) log('right', chunk)
    const reader = source('c').getReader()
    log(await reader.read())
    await reader.cancel('enough')
    const upper = new TransformStream({
      transform: (chunk: string, controller) => controller.enqueue(chunk.toUpperCase()),
    })
    for await (const chunk of source('x').pipeThrough(upper) as any) log(chunk)
    const packed = new Blob(['hello'.repeat(100)]).stream().pipeThrough(new CompressionStream('gzip'))
    const text = await new Response(packed.pipeThrough(new DecompressionStream('gzip'))).text()
    log(text.length)
    for await (const chunk of Readable.fromWeb(source('n'))) log(chunk)
    log(
      await new Response(
        Readable.toWeb(Readable.from(['a', 'b'])).pipeThrough(new TextEncoderStream()),
      ).text(),
    )
  })

  same('readline over a stream', async (log, require) => {
    const { Readable } = require('node:stream')
    const lines = require('node:readline').createInterface({
      input: Readable.from(['one\ntw', 'o\r\nthree']),
      crlfDelay: Infinity,
    })
    for await (const line of lines) log(line)
    log(lines.closed)
  })
})

describe('abort signals', () => {
  same('fire once, in order, with their reasons', async (log, require) => {
    const controller = new AbortController()
    const { signal } = controller
    const any = AbortSignal.any([signal, AbortSignal.timeout(10_000)])
    signal.onabort = ({ type }: Event) => log('onabort', type)
    signal.addEventListener('abort', () => log('listener', signal.reason))
    any.addEventListener('abort', () => log('any', any.reason))
    controller.abort('stop')
    controller.abort('again')
    log(signal.aborted, any.aborted)
    try {
      signal.throwIfAborted()
    } catch (error) {
      log('thrown', error)
    }
    const timeout = AbortSignal.timeout(5)
    await require('node:events').once(timeout, 'abort')
    log((timeout.reason as DOMException).name, (timeout.reason as DOMException).message)
    log(AbortSignal.abort().reason.name, AbortSignal.abort().reason.code)
    const late = new AbortController()
    setTimeout(() => late.abort(), 5)
    await require('node:events')
      .once(new (require('node:events'))(), 'never', { signal: late.signal })
      .catch((error: any) => log(error.name, error.code))
  })
})

describe('crypto', () => {
  same('hashes, derived keys and signatures', async (log, require) => {
    const crypto = require('node:crypto')
    const { promisify } = require('node:util')
    log(crypto.createHash('sha256').update('wave').digest('hex'))
    log((await promisify(crypto.pbkdf2)('secret', 'salt', 1000, 16, 'sha256')).toString('hex'))
    log((await promisify(crypto.scrypt)('secret', 'salt', 16)).toString('hex'))
    log(Buffer.from(await crypto.subtle.digest('SHA-1', Buffer.from('tank'))).toString('hex'))
    const { publicKey, privateKey } = await promisify(crypto.generateKeyPair)('ed25519')
    log(crypto.verify(null, Buffer.from('x'), publicKey, crypto.sign(null, Buffer.from('x'), privateKey)))
    log(crypto.randomBytes(8).length, crypto.randomUUID().length, crypto.randomInt(5) < 5)
    crypto.randomBytes(4, (error: unknown, bytes: Buffer) => log(error, bytes.length))
    process.nextTick(() => log('tick'))
    setImmediate(() => log('immediate'))
    await promisify(crypto.pbkdf2)('s', 's', 1, 1, 'nope').catch(({ code, message }: any) =>
      log(code, message),
    )
  })
})
