/** Datagrams: delivery, connected sockets, groups, options before and after binding, errors. */
import { describe } from 'vitest'
import { same, sameBetween } from './parity.ts'

describe('datagrams', () => {
  sameBetween('are messages: each arrives as it was sent, and can be answered', {
    server: (log, require) => {
      const socket = require('node:dgram').createSocket('udp4')
      socket.on('message', (message: Buffer, { family, size }: any) => log(`${message}`, family, size))
      socket.on('message', (message: Buffer, { port, address }: any) => {
        socket.send(`got ${message.length}`, port, address, (error: any, bytes: number) => {
          log(error, bytes)
          if (`${message}` === 'last') socket.close(() => log('closed'))
        })
      })
      socket.bind(process.env.PORT, () => log('ready'))
    },
    client: (log, require) => {
      const socket = require('node:dgram').createSocket('udp4')
      socket.on('listening', () => log('listening', socket.address().address, socket.address().family))
      const texts: any[] = ['one', ['two', ' ', 'parts'], '', Buffer.from('skip four').subarray(5), 'last']
      socket.on('message', (message: Buffer) => {
        log(`${message}`)
        if (texts.length === 0) socket.close()
        else next()
      })
      const next = () => socket.send(texts.shift(), Number(process.env.PORT), process.env.SERVER)
      next()
    },
  })

  same('a connected socket knows its peer, and hears of a closed port', (log, require) => {
    const dgram = require('node:dgram')
    const server = dgram.createSocket('udp4')
    server.bind(0, '127.0.0.1', () => {
      const { port } = server.address()
      const client = dgram.createSocket('udp4')
      try {
        client.remoteAddress()
      } catch (error: any) {
        log(error.code)
      }
      client.connect(port, '127.0.0.1', () => {
        log(client.remoteAddress().port === port, client.remoteAddress().family)
        try {
          client.connect(port)
        } catch (error: any) {
          log(error.code)
        }
        server.once('message', (message: Buffer) => {
          log(`${message}`)
          server.close(() => client.send('into the void'))
        })
        client.on('error', ({ code, syscall, message }: any) => {
          log(code, syscall, message)
          client.disconnect()
          client.close(() => log('closed'))
        })
        client.send('hello')
      })
    })
  })

  same('errors of sending and binding', (log, require) => {
    const dgram = require('node:dgram')
    const first = dgram.createSocket('udp4')
    first.bind(0, '127.0.0.1', () => {
      const { port } = first.address()
      const second = dgram.createSocket('udp4')
      second.on('error', (error: any) => {
        log(
          error.code,
          error.errno,
          error.syscall,
          error.address,
          error.port === port,
          error.message.replace(port, 'PORT'),
        )
        second.close()
        first.send(Buffer.alloc(70_000), port, '127.0.0.1', (tooLong: any) => {
          log(tooLong.code, tooLong.syscall, tooLong.message.replace(port, 'PORT'))
          first.send('x', port, 'no-such-host.invalid', (unknown: any) => {
            log(unknown.code, unknown.syscall)
            first.close()
            try {
              first.send('x', port)
            } catch (closed: any) {
              log(closed.code)
            }
          })
        })
      })
      second.bind(port, '127.0.0.1')
    })
  })

  same('options need a socket', (log, require) => {
    const dgram = require('node:dgram')
    const socket = dgram.createSocket('udp4')
    const calls: [string, ...unknown[]][] = [
      ['address'],
      ['setBroadcast', true],
      ['setTTL', 16],
      ['setTTL', 0],
      ['setMulticastTTL', 16],
      ['setMulticastTTL', 1000],
      ['setMulticastLoopback', true],
      ['setMulticastInterface', '127.0.0.1'],
      ['addMembership', '10.0.0.1'],
      ['addMembership', '224.0.0.114'],
      ['addMembership', '224.0.0.114'],
      ['dropMembership', '224.0.0.114'],
      ['dropMembership', '224.0.0.114'],
      ['getRecvBufferSize'],
      ['getSendQueueSize'],
    ]
    const all = () => {
      for (const [name, ...args] of calls.filter(([each]) => !each.endsWith('Membership'))) {
        try {
          log(name, args, typeof socket[name](...args))
        } catch (error: any) {
          log(name, args, error.code, error.message)
        }
      }
    }
    all()
    socket.bind(0, () => {
      calls.shift()
      all()
      socket.close()
    })
  })

  same('a group reaches its members', (log, require) => {
    const dgram = require('node:dgram')
    const member = dgram.createSocket({ type: 'udp4', reuseAddr: true })
    member.bind(0, () => {
      member.addMembership('224.0.0.114', '127.0.0.1')
      member.on('message', (message: Buffer) => {
        log(`${message}`)
        member.dropMembership('224.0.0.114', '127.0.0.1')
        member.close()
        sender.close()
      })
      const sender = dgram.createSocket('udp4')
      sender.bind(0, () => {
        sender.setMulticastInterface('127.0.0.1')
        sender.send('to all', member.address().port, '224.0.0.114')
      })
    })
  })

  same('an abort signal closes a socket, unref lets the process go', (log, require) => {
    const dgram = require('node:dgram')
    const controller = new AbortController()
    const socket = dgram.createSocket({ type: 'udp4', signal: controller.signal })
    socket.on('close', () => log('closed'))
    socket.bind(0, () => controller.abort())
    dgram.createSocket('udp4').bind(0).unref()
    process.on('exit', () => log('exit'))
  })
})
