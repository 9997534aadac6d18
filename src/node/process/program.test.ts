import { describe, expect, it } from 'vitest'
import type { ProcessFunction } from './program-options.ts'
import { runOne, runPrograms } from './programs.test-support.ts'

const server: ProcessFunction = ({ require }) => {
  require('http')
    .createServer((request: any, response: any) => {
      let body = ''
      request.on('data', (chunk: string) => (body += chunk))
      request.on('end', () => response.end(`${request.method} ${request.url} ${body}`))
    })
    .listen(8080)
}

const client: ProcessFunction = ({ require, process, globalThis: global }) => {
  const http = require('http')
  const agent = new http.Agent({ keepAlive: true })
  const send = (left: number): void => {
    const request = http.request({ host: 'server', port: 8080, path: `/${left}`, method: 'POST', agent })
    request.on('response', (response: any) => {
      response.setEncoding('utf8')
      response.on('data', (text: string) => process.stdout.write(`${response.statusCode} ${text}\n`))
      response.on('end', () => (left > 1 ? send(left - 1) : process.exit(0)))
    })
    request.end(String(global.Math.random()))
  }
  global.setTimeout(send, 10, 5)
}

describe('an HTTP server and its client on two hosts', () => {
  it('exchange requests', async () => {
    const { stdout, exits } = await runPrograms({ server, client })
    const lines = stdout.client.trimEnd().split('\n')
    expect(lines).toHaveLength(5)
    expect(lines[0]).toMatch(/^200 POST \/5 0\.\d+$/)
    expect(exits.client).toEqual({ code: 0, signal: null })
  })

  it('do the same in every run of a seed, and something else under another', async () => {
    const runs = await Promise.all([1, 2].map(() => runPrograms({ server, client }, { seed: 7 })))
    const other = await runPrograms({ server, client }, { seed: 8 })
    expect(runs[0].hash).toBe(runs[1].hash)
    expect(runs[0].stdout).toEqual(runs[1].stdout)
    expect(other.hash).not.toBe(runs[0].hash)
    expect(other.stdout.client).not.toBe(runs[0].stdout.client)
  })

  it('fetch works too, and reports a refused connection with its cause', async () => {
    const fetching: ProcessFunction = async ({ process, globalThis: global }) => {
      const response = await global.fetch('http://server:8080/x', { method: 'PUT', body: 'y' })
      process.stdout.write(`${await response.text()}\n`)
      const error: any = await global.fetch('http://server:8081/').catch((caught: unknown) => caught)
      process.stdout.write(`${error.message} ${error.cause.code}\n`)
      process.exit(0)
    }
    const { stdout } = await runPrograms({ server, fetching })
    expect(stdout.fetching).toBe('PUT /x y\nfetch failed ECONNREFUSED\n')
  })
})

describe('two processes of one thread', () => {
  it('have modules, globals and random numbers of their own', async () => {
    const patching: ProcessFunction = ({ require, process, globalThis: global }) => {
      require('http').request = 'patched'
      require('fs').readFileSync = 'patched'
      ;(global as any).shared = 'mine'
      global.setTimeout(() => process.exit(0), 10)
    }
    const reading: ProcessFunction = ({ require, process, globalThis: global }) => {
      global.setTimeout(() => {
        const types = [
          typeof require('http').request,
          typeof require('fs').readFileSync,
          typeof (global as any).shared,
        ]
        process.stdout.write(types.join())
        process.exit(0)
      }, 5)
    }
    const { stdout } = await runPrograms({ patching, reading })
    expect(stdout.reading).toBe('function,function,undefined')
  })

  it('leave the host as it was', async () => {
    const before = [process.nextTick, process.env, globalThis.setTimeout, Date, process.cwd(), fetch]
    await runPrograms({ server, client })
    expect([process.nextTick, process.env, globalThis.setTimeout, Date, process.cwd(), fetch]).toEqual(before)
  })

  it('reach their own world through escape hatches', async () => {
    const { stdout } = await runOne(({ process }) => {
      // oxlint-disable-next-line typescript/no-implied-eval
      const escaped = new Function('return this')()
      // oxlint-disable-next-line no-eval
      const indirect = (0, eval)('Date.now()')
      process.stdout.write(
        `${escaped.process === process} ${new Date(indirect).getUTCFullYear()} ${escaped.process.pid}`,
      )
    })
    expect(stdout).toBe('true 2027 1000')
  })
})

describe('time', () => {
  it('passes only as the world says', async () => {
    const { stdout } = await runOne(({ process, globalThis: global }) => {
      const { Date, performance, setTimeout } = global
      const start = [Date.now(), performance.now(), process.hrtime()[0]] as const
      setTimeout(() => {
        const elapsed = [
          Date.now() - start[0],
          Math.round(performance.now() - start[1]),
          process.hrtime()[0] - start[2],
        ]
        process.stdout.write(
          `${new Date(start[0]).toISOString()} ${elapsed.join()} ${process.uptime().toFixed(2)}`,
        )
      }, 3_600_000)
    })
    expect(stdout).toBe('2027-01-01T00:00:00.000Z 3600000,3600000,3600 3600.00')
  })

  it('passes when a program does nothing but read the clock', async () => {
    const { exit } = await runOne(({ globalThis: global }) => {
      const end = global.Date.now() + 5
      while (global.Date.now() < end);
    })
    expect(exit).toEqual({ code: 0, signal: null })
  })
})

describe('what the tank does not simulate', () => {
  it('throws an error that names it', async () => {
    const { stderr, exit } = await runOne(({ require }) => {
      require('v8').takeCoverage()
    })
    expect(stderr).toContain("does not simulate takeCoverage of Node's private binding 'profiler'")
    expect(exit?.code).toBe(1)
  })
})
