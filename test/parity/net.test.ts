/** A socket's life in all its endings, back-pressure, half-open connections, and what errors say. */
import { describe } from 'vitest'
import { same, sameBetween } from './parity.ts'

describe('sockets live and die the same way', () => {
  sameBetween('both sides end', {
    server: (log, require) => {
      const server = require('node:net').createServer((socket: any) => {
        for (const name of ['end', 'finish', 'close', 'error'])
          socket.on(name, (...args: any[]) => log(name, args))
        socket.setEncoding('utf8')
        let text = ''
        socket.on('data', (data: string) => (text += data))
        socket.on('end', () => {
          log('got', text, socket.readyState)
          socket.end('bye')
          server.close(() => log('closed'))
        })
      })
      server.listen(process.env.PORT, () => log('ready'))
    },
    client: (log, require) => {
      const socket = require('node:net').connect(process.env.PORT, process.env.SERVER)
      for (const name of ['lookup', 'connect', 'ready', 'end', 'finish', 'close', 'error'])
        socket.on(name, (...args: any[]) =>
          log(name, name === 'lookup' ? args.length : args, socket.readyState),
        )
      socket.on('data', (data: Buffer) => log('data', `${data}`))
      log(socket.connecting, socket.pending, socket.readyState)
      socket.write('he')
      socket.end('llo')
    },
  })

  sameBetween('the server destroys', {
    server: (log, require) => {
      const server = require('node:net').createServer((socket: any) => {
        socket.on('close', (hadError: boolean) => log('close', hadError))
        socket.once('data', () => {
          socket.destroy()
          server.close()
        })
      })
      server.listen(process.env.PORT, () => log('ready'))
    },
    client: (log, require) => {
      const socket = require('node:net').connect(process.env.PORT, process.env.SERVER, () =>
        socket.write('x'),
      )
      for (const name of ['end', 'finish', 'close', 'error'])
        socket.on(name, (...args: any[]) => log(name, args))
      socket.resume()
    },
  })

  sameBetween('the server resets', {
    server: (log, require) => {
      const server = require('node:net').createServer((socket: any) => {
        socket.on('close', (hadError: boolean) => log('close', hadError))
        socket.once('data', () => {
          socket.resetAndDestroy()
          server.close()
        })
      })
      server.listen(process.env.PORT, () => log('ready'))
    },
    client: (log, require) => {
      const socket = require('node:net').connect(process.env.PORT, process.env.SERVER, () =>
        socket.write('x'),
      )
      socket.on('error', ({ message, code, errno, syscall }: any) => log(message, code, errno, syscall))
      for (const name of ['end', 'finish', 'close']) socket.on(name, (...args: any[]) => log(name, args))
      socket.resume()
    },
  })

  sameBetween('a half-open connection still carries data', {
    server: (log, require) => {
      const server = require('node:net').createServer({ allowHalfOpen: true }, (socket: any) => {
        socket.on('data', (data: Buffer) => log('data', `${data}`))
        socket.on('end', () => {
          log('end', socket.writable, socket.readyState)
          setTimeout(() => socket.end('late answer'), 20)
        })
        socket.on('close', () => server.close(() => log('closed')))
      })
      server.listen(process.env.PORT, () => log('ready'))
    },
    client: (log, require) => {
      const socket = require('node:net').connect({ port: process.env.PORT, host: process.env.SERVER })
      socket.end('question', () => log('finished', socket.readyState))
      socket.on('data', (data: Buffer) => log('data', `${data}`))
      socket.on('end', () => log('end'))
      socket.on('close', (hadError: boolean) => log('close', hadError))
    },
  })

  sameBetween('writing to somebody who does not read fills the buffers, and drains when he does', {
    server: (log, require) => {
      const server = require('node:net').createServer({ pauseOnConnect: true }, (socket: any) => {
        let bytes = 0
        setTimeout(() => {
          socket.on('data', (data: Buffer) => (bytes += data.length))
          socket.on('end', () => log('bytes', bytes))
          socket.on('close', () => server.close())
          socket.resume()
        }, 300)
      })
      server.listen(process.env.PORT, () => log('ready'))
    },
    client: (log, require) => {
      const socket = require('node:net').connect(process.env.PORT, process.env.SERVER)
      const chunk = Buffer.alloc(1 << 20, 'x')
      socket.on('connect', () => {
        log(socket.writableHighWaterMark, socket.write('small'))
        let refused = 0
        for (let i = 0; i < 32; i++) if (!socket.write(chunk)) refused++
        log(
          'refused',
          refused > 0,
          'waiting',
          socket.writableLength > 0,
          socket.bufferSize === socket.writableLength,
        )
        socket.once('drain', () => {
          log('drain', socket.writableLength, socket.bytesWritten)
          socket.end()
        })
        socket.on('close', () => log('close', socket.bytesWritten))
      })
    },
  })

  sameBetween('a paused reader gets everything in order, later', {
    server: (log, require) => {
      const server = require('node:net').createServer((socket: any) => {
        socket.setEncoding('latin1')
        let text = ''
        socket.on('data', (data: string) => {
          text += data
          socket.pause()
          setTimeout(() => socket.resume(), 1)
        })
        socket.on('end', () => {
          log(require('node:crypto').createHash('sha1').update(text).digest('hex'), text.length)
          server.close()
        })
      })
      server.listen(process.env.PORT, () => log('ready'))
    },
    client: (log, require) => {
      const socket = require('node:net').connect(process.env.PORT, process.env.SERVER)
      for (let i = 0; i < 50; i++) socket.write(`${i} `.repeat(2000))
      socket.end(() => log('written', socket.bytesWritten))
    },
  })

  sameBetween('the server process ends without a word', {
    server: (log, require) => {
      const server = require('node:net').createServer((socket: any) => {
        socket.once('data', () => process.exit(5))
      })
      server.listen(process.env.PORT, () => log('ready'))
    },
    client: (log, require) => {
      const socket = require('node:net').connect(process.env.PORT, process.env.SERVER, () =>
        socket.write('x'),
      )
      socket.on('end', () => log('end'))
      socket.on('error', ({ code, syscall }: any) => log(code, syscall))
      socket.on('close', (hadError: boolean) => log('close', hadError))
      socket.resume()
    },
  })
})

describe('sockets say the same of what went wrong', () => {
  same('nobody listens', (log, require) => {
    const { createServer, connect } = require('node:net')
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address()
      server.close(() => {
        const socket = connect(port, '127.0.0.1')
        socket.on('error', (error: any) => {
          const { code, errno, syscall, address } = error
          log(error.message.replace(port, 'PORT'), code, errno, syscall, address, error.port === port)
        })
        socket.on('close', (hadError: boolean) => log('close', hadError))
      })
    })
  })

  same('the address is in use', (log, require) => {
    const { createServer } = require('node:net')
    const first = createServer().listen(0, '127.0.0.1', () => {
      const { port } = first.address()
      const second = createServer()
      second.on('error', (error: any) => {
        const { code, errno, syscall, address } = error
        log(error.message.replace(port, 'PORT'), code, errno, syscall, address, error.port === port)
        first.close()
      })
      second.on('close', () => log('close'))
      second.listen(port, '127.0.0.1')
    })
  })

  same('listening twice, closing twice, an address that is not ours', (log, require) => {
    const { createServer } = require('node:net')
    const server = createServer()
    server.close((error: any) => log(error.code, error.message))
    server.listen(0, () => {
      try {
        server.listen(0)
      } catch (error: any) {
        log(error.code, error.message)
      }
      server.close((error: any) => log('closed', error))
      server.close((error: any) => log(error.code))
    })
    createServer()
      .on('error', ({ code, message, syscall }: any) => log(code, message, syscall))
      .listen(0, '192.0.2.1')
  })

  same('a name that does not exist', (log, require) => {
    const socket = require('node:net').connect(80, 'no-such-host.invalid')
    socket.on('lookup', (error: any, address: any) => log('lookup', error.code, address))
    socket.on('error', ({ code, syscall, hostname, message }: any) => log(code, syscall, hostname, message))
    socket.on('close', (hadError: boolean) => log('close', hadError))
  })

  same('unix sockets: no file, no socket, in use, and a life', (log, require) => {
    const { createServer, connect } = require('node:net')
    const { mkdtempSync, existsSync, writeFileSync } = require('node:fs')
    const folder = mkdtempSync('/tmp/parity-')
    const path = `${folder}/socket`
    const fails = (where: string, done: () => void) =>
      connect(where).on('error', ({ code, syscall, address, message }: any) => {
        log(code, syscall, address.replace(folder, ''), message.replace(folder, ''))
        done()
      })
    writeFileSync(`${folder}/file`, '')
    fails(path, () =>
      fails(`${folder}/file`, () => {
        const server = createServer((socket: any) => {
          log(socket.remoteAddress, socket.address())
          socket.end('hello')
        })
        server.listen(path, () => {
          log(server.address().replace(folder, ''), existsSync(path))
          createServer()
            .on('error', ({ code, syscall, message }: any) => log(code, syscall, message.replace(folder, '')))
            .listen(path)
          connect(path)
            .on('data', (data: Buffer) => log(`${data}`))
            .on('close', () => server.close(() => log('closed', existsSync(path))))
        })
      }),
    )
  })

  same('writing after the end, and to a destroyed socket', (log, require) => {
    const { createServer, connect } = require('node:net')
    const server = createServer((socket: any) => socket.resume()).listen(0, () => {
      const socket = connect(server.address().port)
      socket.on('error', ({ code, message }: any) => log('error', code, message))
      socket.on('close', () => {
        log('close', socket.destroyed)
        socket.write('y', (error: any) => {
          log('callback', error.code, error.message)
          server.close()
        })
      })
      socket.end('x')
      socket.write('late', (error: any) => log('callback', error.code))
    })
  })

  same('time-outs of sockets fire when nothing moves', (log, require) => {
    const { createServer, connect } = require('node:net')
    const server = createServer(() => {}).listen(0, () => {
      const socket = connect(server.address().port)
      socket.setTimeout(30, () => {
        log('timeout', socket.timeout, socket.destroyed)
        socket.destroy(new Error('too slow'))
      })
      socket.on('error', (error: any) => log(error.message))
      socket.on('close', (hadError: boolean) => {
        log('close', hadError)
        server.close()
      })
    })
    server.on('connection', (socket: any) => socket.on('error', () => {}).resume())
  })

  same('an abort signal ends a connection and a server', (log, require) => {
    const { createServer, connect } = require('node:net')
    const controller = new AbortController()
    const server = createServer((socket: any) => socket.on('error', () => {}))
    server.on('close', () => log('server closed'))
    server.listen({ port: 0, signal: controller.signal }, () => {
      const own = new AbortController()
      const socket = connect({ port: server.address().port, signal: own.signal })
      socket.on('error', ({ name, code, message }: any) => log(name, code, message))
      socket.on('close', (hadError: boolean) => {
        log('close', hadError)
        controller.abort()
      })
      socket.on('connect', () => own.abort())
    })
  })

  same('the same families and addresses', (log, require) => {
    const { createServer, connect } = require('node:net')
    const server = createServer((socket: any) => {
      log(socket.remoteFamily, socket.remoteAddress, socket.localFamily, socket.localAddress)
      socket.end()
    })
    server.listen(0, () => {
      const { address, family, port } = server.address()
      log(address, family)
      connect(port, '127.0.0.1')
        .on('close', () =>
          connect(port, '::1')
            .on('close', () => server.close())
            .resume(),
        )
        .resume()
    })
  })

  same('maxConnections drops, getConnections counts', (log, require) => {
    const { createServer, connect } = require('node:net')
    const server = createServer(() => {})
    server.maxConnections = 1
    server.on('drop', (data: any) => log('drop', data.remoteFamily))
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address()
      const first = connect(port, '127.0.0.1', () => {
        const second = connect(port, '127.0.0.1')
        second.on('error', () => {})
        second.on('close', () => {
          server.getConnections((error: any, count: number) => {
            log(error, count)
            first.destroy()
            server.close(() => log('closed'))
          })
        })
      })
    })
  })

  same('a port that several servers say they share', async (log, require) => {
    const net = require('node:net')
    const listening = (options: object): Promise<any> =>
      new Promise((resolve) => {
        const server = net.createServer((socket: any) => socket.end())
        server.on('error', ({ code, syscall }: any) => resolve([log(code, syscall), server][1]))
        server.listen(options, () => resolve([log('listening'), server][1]))
      })
    const first = await listening({ port: 0, host: '127.0.0.1', reusePort: true })
    const { port } = first.address() as { port: number }
    const others = [
      await listening({ port, host: '127.0.0.1', reusePort: true }),
      await listening({ port, host: '127.0.0.1' }),
      await listening({ port, host: '0.0.0.0', reusePort: true }),
    ]
    const plain = await listening({ port: 0, host: '127.0.0.1' })
    others.push(plain, await listening({ port: plain.address().port, host: '127.0.0.1', reusePort: true }))
    await new Promise((resolve) => net.connect(port, '127.0.0.1').resume().on('close', resolve))
    for (const server of [first, ...others]) server.close()
  })
})
