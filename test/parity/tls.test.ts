/** TLS and HTTPS with a certificate of our own: handshakes, what both ends know of each other, failures, ends. */
import { readFileSync } from 'node:fs'
import { describe } from 'vitest'
import { same } from './parity.ts'

const fixture = (name: string) => readFileSync(new URL(`fixtures/tls/${name}`, import.meta.url), 'utf8')
const FILES = { 'key.pem': fixture('key.pem'), 'cert.pem': fixture('cert.pem') }

describe('tls', () => {
  same(
    'a handshake, data both ways, and an orderly end',
    async (log, require) => {
      const tls = require('node:tls')
      const [key, cert] = ['key.pem', 'cert.pem'].map((name) => require('node:fs').readFileSync(name))
      const server = tls.createServer({ key, cert }, (socket: any) => {
        log('server', socket.encrypted, socket.authorized, socket.getProtocol(), socket.servername)
        socket.on('data', (chunk: Buffer) => socket.write(`echo ${chunk}`))
        socket.on('end', () => log('server end'))
        socket.on('close', () => log('server close'))
      })
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
      const client = tls.connect({
        port: server.address().port,
        host: '127.0.0.1',
        ca: cert,
        servername: 'localhost',
      })
      for (const event of ['secureConnect', 'end', 'close']) client.on(event, () => log('client', event))
      await new Promise((resolve) => client.on('secureConnect', resolve))
      log(
        client.authorized,
        client.getPeerCertificate().subject.CN,
        client.getCipher().version,
        client.alpnProtocol,
      )
      client.write('hello')
      log(`${await new Promise((resolve) => client.once('data', resolve))}`)
      client.end()
      await new Promise((resolve) => client.on('close', resolve))
      server.close(() => log('closed'))
    },
    FILES,
  )

  same(
    'certificates that are not trusted, or belong to somebody else',
    async (log, require) => {
      const tls = require('node:tls')
      const [key, cert] = ['key.pem', 'cert.pem'].map((name) => require('node:fs').readFileSync(name))
      const server = tls.createServer({ key, cert }, (socket: any) => socket.on('error', () => {}).end())
      server.on('tlsClientError', () => {})
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
      const { port } = server.address()
      const attempt = (options: object) =>
        new Promise<void>((resolve) => {
          const client = tls.connect({ port, host: '127.0.0.1', ...options })
          client.on('secureConnect', () => log('secure', client.authorized, client.authorizationError))
          client.on('error', ({ code, message, reason }: any) => log('error', code, message, reason))
          client.on('close', () => resolve())
          client.resume()
        })
      await attempt({ servername: 'localhost' })
      await attempt({ servername: 'localhost', rejectUnauthorized: false })
      await attempt({ ca: cert, servername: 'elsewhere.example' })
      await attempt({ ca: cert, servername: 'x', checkServerIdentity: () => undefined })
      await attempt({ ca: cert, checkServerIdentity: () => new Error('not mine'), servername: 'localhost' })
      await attempt({ ca: cert })
      server.close()
    },
    FILES,
  )

  same(
    'protocols are negotiated, versions refused',
    async (log, require) => {
      const tls = require('node:tls')
      const [key, cert] = ['key.pem', 'cert.pem'].map((name) => require('node:fs').readFileSync(name))
      const server = tls.createServer(
        { key, cert, ALPNProtocols: ['b', 'a'], minVersion: 'TLSv1.3' },
        (socket: any) => {
          log('server', socket.alpnProtocol)
          socket.end()
        },
      )
      server.on('tlsClientError', ({ code }: any) => log('client error', code))
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
      const attempt = (options: object) =>
        new Promise<void>((resolve) => {
          const client = tls.connect({
            port: server.address().port,
            host: '127.0.0.1',
            ca: cert,
            servername: 'localhost',
            ...options,
          })
          client.on('secureConnect', () => log('client', client.alpnProtocol, client.getProtocol()))
          client.on('error', ({ code }: any) => log('error', code))
          client.on('close', () => resolve())
          client.resume()
        })
      await attempt({ ALPNProtocols: ['a', 'b'] })
      await attempt({})
      await attempt({ maxVersion: 'TLSv1.2' })
      server.close()
    },
    FILES,
  )

  same(
    'a connection that breaks in the handshake or after it',
    async (log, require) => {
      const tls = require('node:tls')
      const net = require('node:net')
      const { once } = require('node:events')
      const plain = net.createServer((socket: any) => socket.end('not TLS at all'))
      plain.listen(0, '127.0.0.1')
      await once(plain, 'listening')
      const told = (name: string, socket: any) =>
        new Promise<void>((resolve) => {
          socket.on('error', ({ code, message }: any) => log(name, code, message.split(':').at(-1)))
          socket.on('close', (hadError: boolean) => {
            log(name, 'close', hadError)
            resolve()
          })
        })
      await told('garbage', tls.connect({ port: plain.address().port, host: '127.0.0.1' }))
      plain.close()
      const silent = net.createServer((socket: any) => socket.destroy())
      silent.listen(0, '127.0.0.1')
      await once(silent, 'listening')
      await told('hung up', tls.connect({ port: silent.address().port, host: '127.0.0.1' }))
      silent.close()
    },
    FILES,
  )

  same(
    'https: requests, agents and fetch',
    async (log, require) => {
      const https = require('node:https')
      const [key, cert] = ['key.pem', 'cert.pem'].map((name) => require('node:fs').readFileSync(name))
      const server = https.createServer({ key, cert }, (request: any, response: any) => {
        response.end(`${request.method} ${request.url} ${request.socket.encrypted}`)
      })
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
      const { port } = server.address()
      const agent = new https.Agent({ keepAlive: true, ca: cert, servername: 'localhost' })
      const get = (path: string) =>
        new Promise<void>((resolve, reject) => {
          const request = https.get({ port, host: '127.0.0.1', path, agent }, async (response: any) => {
            let body = ''
            for await (const chunk of response) body += chunk
            log(response.statusCode, body, request.reusedSocket, request.socket?.isSessionReused?.())
            resolve()
          })
          request.on('error', reject)
        })
      await get('/one')
      await get('/two')
      await fetch(`https://127.0.0.1:${port}/`).catch(({ message, cause }: any) => log(message, cause.code))
      agent.destroy()
      server.close(() => log('closed'))
      server.closeAllConnections()
    },
    FILES,
  )

  same(
    'an upgrade of a plain connection',
    async (log, require) => {
      const tls = require('node:tls')
      const net = require('node:net')
      const [key, cert] = ['key.pem', 'cert.pem'].map((name) => require('node:fs').readFileSync(name))
      const server = net.createServer((socket: any) => {
        socket.once('data', (chunk: Buffer) => {
          log('plain', `${chunk}`)
          socket.write('go')
          const secure = new tls.TLSSocket(socket, { isServer: true, key, cert })
          secure.on('secure', () => log('server is secure'))
          secure.on('data', (data: Buffer) => secure.end(`secret ${data}`))
        })
      })
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
      const socket = net.connect(server.address().port, '127.0.0.1')
      socket.write('STARTTLS')
      await new Promise((resolve) => socket.once('data', resolve))
      const secure = tls.connect({ socket, ca: cert, servername: 'localhost' })
      secure.write('hello')
      secure.on('data', (chunk: Buffer) => log(`${chunk}`))
      await new Promise((resolve) => secure.on('close', resolve))
      server.close()
    },
    FILES,
  )
})
