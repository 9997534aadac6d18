import { describe, expect, it } from 'vitest'
import type { ProcessFunction } from '../process/program-options.ts'
import { runPrograms } from '../process/programs.test-support.ts'

describe('what a program changes in a shared builtin module', () => {
  const changing: ProcessFunction = ({ require, process, globalThis: global }) => {
    const tls = require('tls')
    tls.DEFAULT_MAX_VERSION = 'TLSv1.2'
    tls.createSecureContext = () => {
      throw new Error('mocked')
    }
    global.setTimeout(() => {
      try {
        tls.connect({ port: 1 })
      } catch (error: any) {
        process.stdout.write(`${error.message} ${tls.DEFAULT_MAX_VERSION}`)
      }
    }, 10)
  }
  const other: ProcessFunction = ({ require, process, globalThis: global }) => {
    const tls = require('tls')
    global.setTimeout(() => {
      const socket = tls.connect({ port: 1 })
      socket.on('error', ({ code }: any) => process.stdout.write(`${code} ${tls.DEFAULT_MAX_VERSION}`))
    }, 20)
  }

  it('is seen by that module, and by no other process', async () => {
    const { stdout } = await runPrograms({ changing, other })
    expect(stdout.changing).toBe('mocked TLSv1.2')
    expect(stdout.other).toBe('ECONNREFUSED TLSv1.3')
  })
})

describe('what a shared module loads when it is first read', () => {
  const listing: ProcessFunction = async ({ require, process }) => {
    const fs = require('fs')
    fs.writeFileSync(`/data/${process.env.FILE}`, '')
    const names: unknown[] = []
    for await (const { name } of await fs.promises.opendir('/data')) names.push(name)
    const stream = new fs.ReadStream(`/data/${process.env.FILE}`)
    names.push(fs.opendirSync('/data').readSync().name, stream.constructor === fs.ReadStream)
    process.stdout.write(names.join(' '))
  }

  it('is each process’s own', async () => {
    const { stdout } = await runPrograms({
      a: { entry: listing, env: { FILE: 'of-a' } },
      b: { entry: listing, env: { FILE: 'of-b' } },
      last: ({ globalThis: global }) => global.setTimeout(() => {}, 1_000),
    })
    expect(stdout).toMatchObject({ a: 'of-a of-a true', b: 'of-b of-b true' })
  })

  it('is replaced for the process that replaces it', async () => {
    const { stdout } = await runPrograms({
      replacing: ({ require, process, globalThis: global }) => {
        const fs = require('fs')
        fs.opendirSync = () => 'mine'
        fs.ReadStream = class Mine {}
        global.setTimeout(
          () => process.stdout.write(`${fs.opendirSync()} ${require('fs').ReadStream.name}`),
          5,
        )
      },
      other: ({ require, process, globalThis: global }) => {
        const fs = require('fs')
        const show = () => process.stdout.write(`${typeof fs.opendirSync('/')} ${fs.ReadStream.name}`)
        global.setTimeout(show, 20)
      },
    })
    expect(stdout).toEqual({ replacing: 'mine Mine', other: 'object ReadStream' })
  })
})

describe('a deprecated function of a shared module', () => {
  const using: ProcessFunction = ({ require, process, globalThis: global }) => {
    process.on('warning', ({ code }: any) => process.stdout.write(`${code} `))
    const socket = require('dgram').createSocket('udp4')
    void socket._handle
    void socket._handle
    socket.close()
    global.setTimeout(() => {}, 10)
  }

  // Node 26 has no deprecated function in a module that processes share.
  it.skipIf(Number.parseInt(process.versions.node, 10) >= 26)('warns once in every process', async () => {
    const { stdout } = await runPrograms({ first: using, second: using })
    expect(stdout).toEqual({ first: 'DEP0112 ', second: 'DEP0112 ' })
  })
})
