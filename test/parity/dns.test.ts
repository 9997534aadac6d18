/** Names: look-ups, and resolvers that ask a server of the program's own. */
import { describe } from 'vitest'
import { same } from './parity.ts'

describe('names', () => {
  same('localhost, literals and what does not exist', async (log, require) => {
    const dns = require('node:dns')
    const lookup = (...args: unknown[]) =>
      new Promise<void>((resolve) => {
        dns.lookup(...args, (error: any, address: any, family: any) => {
          log(args, error && [error.code, error.syscall, error.hostname, error.message], address, family)
          resolve()
        })
      })
    await lookup('127.0.0.1')
    await lookup('::1', { all: true })
    await lookup('localhost', 4)
    await lookup('localhost', { family: 4, all: true })
    await lookup('no-such-host.invalid')
    await lookup('::1', 4).catch(() => {})
    await dns.promises
      .lookup('no-such-host.invalid')
      .catch(({ code, syscall, hostname }: any) => log(code, syscall, hostname))
    const service = await dns.promises.lookupService('127.0.0.1', 80)
    log(service)
    try {
      dns.lookup('x', { family: 5 }, () => {})
    } catch (error: any) {
      log(error.code)
    }
  })

  same('a resolver asks the servers it was given', (log, require) => {
    const dns = require('node:dns')
    const dgram = require('node:dgram')
    const server = dgram.createSocket('udp4')
    const records: Record<number, Buffer> = {
      1: Buffer.of(10, 1, 2, 3),
      15: Buffer.concat([Buffer.of(0, 7, 4), Buffer.from('mail'), Buffer.of(0)]),
      16: Buffer.concat([Buffer.of(2), Buffer.from('ab'), Buffer.of(1), Buffer.from('c')]),
      28: Buffer.from(`fd00${'0'.repeat(27)}5`, 'hex'),
      33: Buffer.concat([Buffer.of(0, 1, 0, 2, 0, 80, 1), Buffer.from('s'), Buffer.of(0)]),
    }
    server.on('message', (query: Buffer, { port, address }: any) => {
      const length = query[12]
      const name = query.toString('latin1', 13, 13 + length)
      const type = query.readUInt16BE(query.length - 4)
      const data = name === 'known' ? records[type] : undefined
      const response = Buffer.from(query)
      response.writeUInt16BE(0x8180 | (name === 'known' ? 0 : name === 'broken' ? 2 : 3), 2)
      if (data === undefined) return server.send(response, port, address)
      response.writeUInt16BE(1, 6)
      const head = Buffer.from([0xc0, 0x0c, type >> 8, type & 255, 0, 1, 0, 0, 0, 60, 0, data.length])
      server.send(Buffer.concat([response, head, data]), port, address)
    })
    server.bind(0, '127.0.0.1', async () => {
      const resolver = new dns.promises.Resolver({ timeout: 100, tries: 2 })
      resolver.setServers([`127.0.0.1:${server.address().port}`])
      log(resolver.getServers().length)
      for (const [name, type] of [
        ['known', 'A'],
        ['known', 'AAAA'],
        ['known', 'MX'],
        ['known', 'TXT'],
        ['known', 'SRV'],
        ['known', 'NS'],
        ['unknown', 'A'],
        ['broken', 'A'],
        ['secret.onion', 'A'],
        ['a..b', 'A'],
      ])
        log(
          name,
          type,
          await resolver
            .resolve(name, type)
            .catch(({ code, syscall, hostname, message }: any) => [code, syscall, hostname, message]),
        )
      log(await resolver.resolve4('known', { ttl: true }))
      log(await resolver.reverse('10.9.9.9').catch(({ code, syscall }: any) => [code, syscall]))
      server.close()
    })
  })

  same('a silent server times out, a closed port refuses, a cancelled query is cancelled', (log, require) => {
    const dns = require('node:dns')
    const server = require('node:dgram').createSocket('udp4')
    let asked = 0
    server.on('message', () => asked++)
    server.bind(0, '127.0.0.1', () => {
      const { port } = server.address()
      const resolver = new dns.Resolver({ timeout: 50, tries: 2 })
      resolver.setServers([`127.0.0.1:${port}`])
      resolver.resolve4('x', (error: any) => {
        log(error.code, error.syscall, asked)
        resolver.resolve4('y', (cancelled: any) => {
          log(cancelled.code)
          server.close(() => resolver.resolve4('z', (refused: any) => log(refused.code)))
        })
        try {
          resolver.setServers(['127.0.0.1'])
        } catch (pending: any) {
          log(pending.code)
        }
        resolver.cancel()
      })
    })
  })
})

describe('a connection to a name', () => {
  same('has the module’s resolver made, and makes no other later', (log, require) => {
    const types: string[] = []
    const init = (_: number, type: string): void => void types.push(type)
    require('node:async_hooks').createHook({ init }).enable()
    const net = require('node:net')
    const connect = (): any => net.connect(1, 'nobody.invalid').on('error', (error: any) => log(error.code))
    connect().on('close', () => {
      require('node:dns')
      connect().on('close', () => log(types.filter((type) => /^DNS|INFO/.test(type))))
    })
  })

  same('asks what the program has put there', (log, require) => {
    const net = require('node:net')
    const connect = (): any => net.connect(1, 'nobody.invalid').on('error', (error: any) => log(error.code))
    connect().on('close', () => {
      require('node:dns').lookup = (name: string, _: unknown, callback: (error: Error) => void): void =>
        callback(Object.assign(new Error(name), { code: 'MINE' }))
      connect().on('close', () => log(require('node:dns').lookup.length))
    })
  })
})
