import { describe, expect, it } from 'vitest'
import { runOne, runPrograms } from '../process/programs.test-support.ts'

const WASM = 'new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0])'

describe('a context of vm', () => {
  it("has the process's clock, random numbers and classes", async () => {
    const program = (): Promise<{ stdout: string; stderr: string }> =>
      runOne(({ require, process }) => {
        const vm = require('vm')
        const given = { own: 1 }
        vm.createContext(given)
        const facts = vm.runInContext(
          `[new Date().toISOString(), Date.now() < 1.9e12, new Date().constructor === Date, Math.random(),
            Intl.DateTimeFormat().resolvedOptions().timeZone, new Intl.DateTimeFormat('en').format(), WeakRef.name,
            new Intl.NumberFormat().constructor === Intl.NumberFormat].join('|')`,
          given,
        )
        process.stdout.write(`${facts} ${Object.getOwnPropertyNames(given).join()}`)
      })
    const first = await program()
    expect(first.stdout.replace(/\|0\.\d+\|/, '|random|')).toMatch(
      /^2027-01-01T00:00:00.\d{3}Z\|true\|true\|random\|UTC\|1\/1\/2027\|WeakRef\|true own$/,
    )
    expect(await program()).toEqual(first)
  })

  it('leaves what the program gives it alone', async () => {
    const { stdout } = await runOne(({ require, process }) => {
      const Date = class Mine {}
      process.stdout.write(require('vm').runInNewContext('Date.name', { Date }))
    })
    expect(stdout).toBe('Mine')
  })

  it('compiles WebAssembly and waits with Atomics', async () => {
    const { stdout, stderr } = await runPrograms({
      main: {
        env: { WASM },
        entry: async ({ require, process, globalThis: global }) => {
          const vm = require('vm')
          const keepAlive = global.setTimeout(() => {}, 1_000)
          const module = await vm.runInNewContext(`WebAssembly.compile(${process.env.WASM})`)
          const waited = await vm.runInNewContext(
            'Atomics.waitAsync(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5).value',
          )
          global.clearTimeout(keepAlive)
          process.stdout.write(`${Object.prototype.toString.call(module)} ${waited}`)
        },
      },
    })
    expect({ stdout: stdout.main, stderr: stderr.main }).toEqual({
      stdout: '[object WebAssembly.Module] timed-out',
      stderr: '',
    })
  })

  it('has a collector after v8.setFlagsFromString, which changes no flag of the engine', async () => {
    const { stdout } = await runOne(({ require, process }) => {
      require('v8').setFlagsFromString('--expose-gc')
      process.stdout.write(typeof require('vm').runInNewContext('gc'))
    })
    expect(stdout).toBe('function')
    expect(
      (
        await runOne(({ require, process }) => {
          process.stdout.write(require('vm').runInNewContext('typeof gc'))
        })
      ).stdout,
    ).toBe('undefined')
  })
})

describe('WebAssembly', () => {
  it('gives a module of its own to each compilation of one text, and tells texts apart', async () => {
    const run = await runOne(async ({ process, globalThis: global }) => {
      const { WebAssembly } = global as any
      const exporting = (answer: number): Uint8Array => {
        const head = [0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 127, 3, 2, 1, 0]
        return Uint8Array.from([...head, 7, 5, 1, 1, 102, 0, 0, 10, 6, 1, 4, 0, 65, answer, 11])
      }
      const bytes = exporting(7)
      const first = await WebAssembly.compile(bytes)
      const second = await WebAssembly.compile(exporting(7))
      bytes[bytes.length - 2] = 8 // the text of the first stays what it was
      const third = await WebAssembly.compile(bytes)
      first.mine = true
      const answers = [first, second, third].map((module) => new WebAssembly.Instance(module).exports.f())
      const isModule = second instanceof WebAssembly.Module
      process.stdout.write([...answers, first === second, isModule, second.mine].join())
    })
    expect(run).toMatchObject({ stdout: '7,7,8,false,true,', stderr: '' })
  })

  it('is compiled from a response', async () => {
    const { stdout, stderr } = await runOne(async ({ process, globalThis: global }) => {
      const { WebAssembly, Response } = global as any
      const bytes = new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0])
      const headers = { 'content-type': 'application/wasm' }
      const module = await WebAssembly.compileStreaming(new Response(bytes, { headers }))
      const both = await WebAssembly.instantiateStreaming(Promise.resolve(new Response(bytes, { headers })))
      const refused = await WebAssembly.compileStreaming(new Response(bytes)).catch(
        (error: any) => error.code,
      )
      process.stdout.write([module, both.instance, refused].map(String).join())
    })
    expect({ stdout, stderr }).toEqual({
      stdout: '[object WebAssembly.Module],[object WebAssembly.Instance],ERR_WEBASSEMBLY_RESPONSE',
      stderr: '',
    })
  })
})
