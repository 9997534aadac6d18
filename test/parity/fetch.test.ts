/** fetch, EventSource-like streams of bodies, FormData, and the web's events. */
import { describe } from 'vitest'
import { same } from './parity.ts'

describe('fetch', () => {
  same('requests and answers of every kind', async (log, require) => {
    const http = require('node:http')
    const server = http.createServer(async (request: any, response: any) => {
      let body = ''
      for await (const chunk of request) body += chunk
      if (request.url === '/redirect') return void response.writeHead(302, { location: '/end' }).end()
      if (request.url === '/json')
        return void response.setHeader('content-type', 'application/json').end('{"a":1}')
      if (request.url === '/none') return void response.writeHead(204).end()
      response.setHeader('set-cookie', ['a=1', 'b=2'])
      response.writeHead(request.url === '/teapot' ? 418 : 200, { 'x-method': request.method })
      response.end(`${request.method} ${request.url} ${request.headers['content-type']} ${body}`)
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const base = `http://127.0.0.1:${server.address().port}`
    const told = async (path: string, init: RequestInit = {}) => {
      const response = await fetch(base + path, init)
      log(
        response.status,
        response.statusText,
        response.ok,
        response.redirected,
        response.headers.get('x-method'),
      )
      log(await response.text(), response.bodyUsed, response.headers.getSetCookie(), response.type)
    }
    await told('/')
    await told('/post', { method: 'POST', body: 'text' })
    await told('/form', { method: 'POST', body: new URLSearchParams({ a: '1 2' }) })
    await told('/bytes', { method: 'PUT', body: new Uint8Array([104, 105]) })
    await told('/redirect')
    await told('/teapot', { headers: { 'content-type': 'x/y' } })
    log(await (await fetch(`${base}/json`)).json(), (await fetch(`${base}/none`)).body)
    await fetch(`${base}/redirect`, { redirect: 'error' }).catch(({ name, message }: any) =>
      log(name, message),
    )
    log((await fetch(`${base}/redirect`, { redirect: 'manual' })).status)
    await (await fetch(base)).json().catch(({ name }: any) => log(name))
    server.close()
    server.closeAllConnections()
  })

  same('what cannot be fetched', async (log) => {
    const told = ({ name, message, cause }: any) => log(name, message, cause?.code, cause?.syscall)
    for (const [url, init] of [
      ['http://127.0.0.1:2/', {}],
      ['http://no-such-host.invalid/', {}],
      ['nonsense', {}],
      ['http://user:pass@127.0.0.1/', {}],
      ['http://127.0.0.1:9999/', { method: 'GET', body: 'x' }],
      ['http://127.0.0.1:9999/', { method: 'TRACE' }],
      ['data:text/plain,hello', {}],
      ['http://127.0.0.1:25/', {}],
    ] as [string, RequestInit][]) {
      await fetch(url, init).then(async (response) => log(await response.text()), told)
    }
  })

  same('bodies are streams, sent and received', async (log, require) => {
    const http = require('node:http')
    const server = http.createServer((request: any, response: any) => {
      log(request.headers['transfer-encoding'], request.headers['content-length'])
      request.pipe(response)
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const url = `http://127.0.0.1:${server.address().port}/`
    const body = new ReadableStream({
      start(controller) {
        for (const part of ['one ', 'two']) controller.enqueue(new TextEncoder().encode(part))
        controller.close()
      },
    })
    const response = await fetch(url, { method: 'POST', body, duplex: 'half' })
    let text = ''
    for await (const chunk of response.body as any) text += Buffer.from(chunk).toString()
    log(text)
    const form = new FormData()
    form.append('field', 'value')
    form.append('file', new Blob(['content'], { type: 'text/plain' }), 'name.txt')
    const echoed = await fetch(url, { method: 'POST', body: form })
    const type = echoed.headers.get('content-type')
    const sent = await echoed.text()
    log(type, sent.includes('name="field"'), sent.includes('filename="name.txt"'), sent.includes('content'))
    const cut = await fetch(url, { method: 'POST', body: 'x'.repeat(100_000) })
    await cut.body!.cancel()
    log(cut.bodyUsed)
    server.close()
    server.closeAllConnections()
  })

  same('a server that breaks off in the middle', async (log, require) => {
    const http = require('node:http')
    const server = http.createServer((request: any, response: any) => {
      if (request.url === '/early') return void request.socket.destroy()
      response.writeHead(200, { 'content-length': 100 })
      response.write('begun')
      setTimeout(() => request.socket.destroy(), 10)
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const base = `http://127.0.0.1:${server.address().port}`
    await fetch(`${base}/early`).catch(({ name, message, cause }: any) => log(name, message, cause.code))
    const response = await fetch(base)
    await response.text().catch(({ name, message, cause }: any) => log(name, message, cause?.code))
    server.close()
  })

  same('Request, Response and Headers', async (log) => {
    const request = new Request('http://h/p?q#f', {
      method: 'post',
      headers: [
        ['A', '1'],
        ['a', '2'],
      ],
      body: 'x',
    })
    log(request.method, request.url, [...request.headers], request.redirect, request.signal.aborted)
    const copy = request.clone()
    log(await request.text(), await copy.text(), request.bodyUsed)
    log(
      Response.json({ a: 1 }).headers.get('content-type'),
      Response.error().type,
      Response.redirect('http://x/', 302).status,
    )
    const headers = new Headers({ b: '2', a: '1' })
    headers.append('b', '3')
    log([...headers], headers.has('B'), headers.get('missing'))
    for (const call of [
      () => new Headers({ 'bad name': 'x' }),
      () => new Response('x', { status: 204 }),
      () => new Response('x', { status: 99 }),
      () => new Request('relative'),
      () => headers.set('x', '\n\0'),
    ]) {
      try {
        call()
        log('fine')
      } catch ({ name }: any) {
        log(name)
      }
    }
  })
})

describe('the web in Node', () => {
  same('structured clones, blobs, encoders', async (log) => {
    const cycle: any = { date: new Date(0), set: new Set([1]) }
    cycle.self = cycle
    const clone = structuredClone(cycle)
    log(clone.self === clone, clone.date, clone.set)
    const buffer = new ArrayBuffer(4)
    log(structuredClone(buffer, { transfer: [buffer] }).byteLength, buffer.byteLength)
    try {
      structuredClone(() => {})
    } catch ({ name, message }: any) {
      log(name, message)
    }
    const blob = new Blob(['hello ', new Uint8Array([119])], { type: 'TEXT/plain' })
    log(
      blob.size,
      blob.type,
      await blob.text(),
      await blob.slice(2, 4).text(),
      (await blob.arrayBuffer()).byteLength,
    )
    let streamed = ''
    for await (const chunk of blob.stream() as any) streamed += Buffer.from(chunk).toString()
    log(streamed, new TextDecoder('utf-16le').decode(new Uint8Array([104, 0])), btoa('x'), atob('eA=='))
  })

  same('event targets and their order', (log) => {
    const target = new EventTarget()
    const handler = { handleEvent: (event: Event) => log('object', event.type) }
    target.addEventListener('x', () => log('first'))
    target.addEventListener('x', handler)
    target.addEventListener('x', handler)
    target.addEventListener('x', (event) => event.preventDefault(), { once: true })
    target.addEventListener('x', (event) => event.stopImmediatePropagation())
    target.addEventListener('x', () => log('never'))
    log(target.dispatchEvent(new Event('x', { cancelable: true })))
    target.removeEventListener('x', handler)
    log(target.dispatchEvent(new Event('x', { cancelable: true })))
    process.on('uncaughtException', ({ message }) => log('uncaught', message))
    target.addEventListener('y', () => {
      throw new Error('in a listener')
    })
    log(target.dispatchEvent(new Event('y')))
  })

  same('compression, text and byte streams', async (log) => {
    const packed = new Blob(['abc'.repeat(100)]).stream().pipeThrough(new CompressionStream('gzip'))
    const back = packed.pipeThrough(new DecompressionStream('gzip')).pipeThrough(new TextDecoderStream())
    let text = ''
    for await (const part of back as any) text += part
    log(text.length)
    const { readable, writable } = new TransformStream({ transform: (chunk, out) => out.enqueue(chunk * 2) })
    const writer = writable.getWriter()
    void writer.write(1)
    void writer.write(2)
    void writer.close()
    const [left, right] = readable.tee()
    const read = async (stream: any) => {
      const got = []
      for await (const value of stream) got.push(value)
      return got
    }
    log(await Promise.all([read(left), read(right)]))
    const failing = new ReadableStream({ pull: (controller) => controller.error(new Error('no')) })
    await failing
      .getReader()
      .read()
      .catch(({ message }: any) => log(message))
  })
})
