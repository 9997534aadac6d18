/** Compression: round trips, chunks and flushing, errors and limits, streams that are cut off. */
import { describe } from 'vitest'
import { same } from './parity.ts'

describe('zlib', () => {
  same('every format goes there and back, at once and with callbacks', async (log, require) => {
    const zlib = require('node:zlib')
    const { promisify } = require('node:util')
    const text = Buffer.from('wave '.repeat(500))
    for (const [there, back] of [
      ['gzip', 'gunzip'],
      ['deflate', 'inflate'],
      ['deflateRaw', 'inflateRaw'],
      ['brotliCompress', 'brotliDecompress'],
      ['gzip', 'unzip'],
    ]) {
      const small = await promisify(zlib[there])(text)
      log(there, small.length, (await promisify(zlib[back])(small)).equals(text))
      log(zlib[`${there}Sync`](text).equals(small), zlib[`${back}Sync`](small).length)
    }
  })

  same('a stream flushes on demand and tells in order', async (log, require) => {
    const zlib = require('node:zlib')
    const gzip = zlib.createGzip()
    const gunzip = gzip.pipe(zlib.createGunzip())
    const said: string[][] = [[], []]
    for (const event of ['end', 'finish', 'close']) {
      gzip.on(event, () => said[0].push(event))
      gunzip.on(event, () => said[1].push(event))
    }
    gunzip.on('data', (chunk: Buffer) => said[1].push(`${chunk}`))
    gzip.write('first')
    await new Promise((resolve) => gzip.flush(resolve))
    said[0].push('flushed')
    gzip.write('second')
    await new Promise((resolve) => gzip.flush(zlib.constants.Z_FULL_FLUSH, resolve))
    gzip.end('third')
    await new Promise((resolve) => gunzip.on('close', resolve))
    log(said, gzip.bytesWritten, gunzip.bytesWritten > 0)
  })

  same('what is broken, short or too long', async (log, require) => {
    const zlib = require('node:zlib')
    const told = (what: string) => (error: any, value: any) =>
      log(what, error && [error.code, error.errno, error.message, error.name], value?.length)
    const packed = zlib.gzipSync('x'.repeat(1000))
    const wait = (start: (done: (...values: any[]) => void) => void, what: string) =>
      new Promise<void>((resolve) =>
        start((...values) => {
          told(what)(values[0], values[1])
          resolve()
        }),
      )
    await wait((done) => zlib.gunzip(Buffer.from('not packed'), done), 'no header')
    await wait((done) => zlib.gunzip(packed.subarray(0, 15), done), 'cut')
    await wait((done) => zlib.gunzip(packed, { maxOutputLength: 100 }, done), 'too long')
    await wait((done) => zlib.gunzip(packed, { finishFlush: zlib.constants.Z_SYNC_FLUSH }, done), 'fine')
    const spoilt = Buffer.from(packed)
    spoilt[spoilt.length - 5] ^= 0xff
    await wait((done) => zlib.gunzip(spoilt, done), 'checksum')
    await wait((done) => zlib.brotliDecompress(Buffer.from('nonsense'), done), 'brotli')
    for (const call of [
      () => zlib.gunzipSync(Buffer.from('x')),
      () => zlib.createGzip({ level: 99 }),
      () => zlib.gzipSync(12),
      () => zlib.createInflate({ dictionary: 'x' }),
    ]) {
      try {
        call()
      } catch ({ code, errno, message }: any) {
        log(code, errno, message)
      }
    }
  })

  same('destroying and closing in the middle', async (log, require) => {
    const zlib = require('node:zlib')
    for (const end of ['destroy', 'close', 'error'] as const) {
      const stream = zlib.createDeflate()
      for (const event of ['data', 'end', 'finish', 'close', 'error']) {
        stream.on(event, (value: any) => log(end, event, event === 'error' ? value.message : ''))
      }
      stream.write('x'.repeat(1000))
      if (end === 'error') stream.destroy(new Error('enough'))
      else stream[end](() => log('callback'))
      stream.write('late', (error: any) => log('write', error?.code))
      await new Promise((resolve) => setTimeout(resolve, 5))
    }
  })

  same('parameters, dictionaries, checksums', async (log, require) => {
    const zlib = require('node:zlib')
    const dictionary = Buffer.from('a common beginning')
    const packed = zlib.deflateSync('a common beginning and an end', { dictionary })
    log(packed.length, `${zlib.inflateSync(packed, { dictionary })}`)
    try {
      zlib.inflateSync(packed)
    } catch ({ code, errno, message }: any) {
      log(code, errno, message)
    }
    log(zlib.crc32?.('wave') ?? zlib.crc32)
    const deflate = zlib.createDeflate({ level: 0 })
    const parts: Buffer[] = []
    deflate.on('data', (chunk: Buffer) => parts.push(chunk))
    deflate.write('a'.repeat(1000))
    await new Promise<void>((resolve) =>
      deflate.params(9, zlib.constants.Z_DEFAULT_STRATEGY, () => resolve()),
    )
    deflate.end('b'.repeat(1000))
    await new Promise((resolve) => deflate.on('end', resolve))
    log(zlib.inflateSync(Buffer.concat(parts)).length, Buffer.concat(parts).length < 1200)
  })
})
