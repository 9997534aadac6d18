import { describe, expect, it } from 'vitest'
import { runOne, runPrograms } from '../process/programs.test-support.ts'

describe('the clock behind other globals', () => {
  it("is the host's wall clock, in UTC", async () => {
    const { stdout } = await runOne(({ process, globalThis: global }) => {
      const { Date, Intl } = global
      const format = new Intl.DateTimeFormat('en-US', {
        dateStyle: 'short',
        timeStyle: 'short',
        timeZone: 'UTC',
      })
      const called = (Intl as any).DateTimeFormat('en-US')
      process.stdout.write(
        [
          format.format(),
          called.format(),
          Date().slice(0, 15),
          new Date(2021, 0, 1).toISOString(),
          new Date() instanceof Date,
          new (class extends Date {})().getTime() > 0,
          Intl.DateTimeFormat().resolvedOptions().timeZone,
        ].join('|'),
      )
    })
    expect(stdout.replaceAll('\u202f', ' ')).toBe(
      '1/1/27, 12:00 AM|1/1/2027|Fri Jan 01 2027|2021-01-01T00:00:00.000Z|true|true|UTC',
    )
  })
})

describe('Atomics', () => {
  it('waits without blocking, and refuses to block', async () => {
    const { stdout } = await runOne(({ process, globalThis: global }) => {
      const { Atomics } = global as any
      const cells = new Int32Array(new SharedArrayBuffer(8))
      const keepAlive = global.setTimeout(() => {}, 1_000)
      const waits = [
        Atomics.waitAsync(cells, 0, 0),
        Atomics.waitAsync(cells, 1, 0, 20),
        Atomics.waitAsync(cells, 0, 1),
      ]
      void Promise.all(waits.map((wait) => wait.value)).then((values) => {
        process.stdout.write(values.join())
        global.clearTimeout(keepAlive)
      })
      global.setTimeout(() => process.stdout.write(`${Atomics.notify(cells, 0)} `), 10)
      try {
        Atomics.wait(cells, 0, 0)
      } catch (error: any) {
        process.stdout.write(`${error.code} `)
      }
    })
    expect(stdout).toBe('ERR_WAVETANK_UNSUPPORTED 1 ok,timed-out,not-equal')
  })
})

describe('the garbage collector', () => {
  it('is never seen at work', async () => {
    const { stdout } = await runOne(({ process, globalThis: global }) => {
      const registry = new global.FinalizationRegistry(() => process.stdout.write('collected'))
      registry.register({}, 1)
      process.stdout.write(
        `${Object.keys(new global.WeakRef({ a: 1 }).deref()!).join()} ${registry[Symbol.toStringTag]}`,
      )
    })
    expect(stdout).toBe('a FinalizationRegistry')
  })
})

describe('diagnostics channels', () => {
  it('tell a process of its own requests only', async () => {
    const server = ({ require }: any): void => {
      require('http')
        .createServer((_request: unknown, response: any) => response.end())
        .listen(80)
    }
    const client = ({ require, process, globalThis: global }: any): void => {
      if (process.argv[1] === '/listening.js') {
        require('diagnostics_channel').subscribe('http.client.request.start', ({ request }: any) =>
          process.stdout.write(`${request.path} `),
        )
      }
      global.setTimeout(() => {
        require('http').get(`http://server${process.argv[1]}`, (response: any) => response.resume())
      }, 10)
      global.setTimeout(() => process.exit(), 100)
    }
    const { stdout } = await runPrograms({ server, listening: client, other: client }, { until: 'other' })
    expect(stdout.listening).toBe('/listening.js ')
  })
})
