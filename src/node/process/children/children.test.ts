import { describe, expect, it } from 'vitest'
import { runOne } from '../programs.test-support.ts'

describe('child processes', () => {
  it('run Node with their stdio as pipes', async () => {
    const { stdout } = await runOne(({ require, process }) => {
      const code =
        'process.stdin.on("data", (d) => console.log(String(d).toUpperCase(), process.ppid)).on("end", () => process.exit(9))'
      const child = require('child_process').spawn(process.execPath, ['-e', code])
      child.stdout.on('data', (data: Buffer) => process.stdout.write(`out: ${data}`))
      child.on('exit', (code: number, signal: string) => process.stdout.write(`exit ${code} ${signal}\n`))
      child.on('close', () => process.stdout.write(`close\n`))
      child.stdin.end('hello')
    })
    expect(stdout).toBe('out: HELLO 1000\nexit 9 null\nclose\n')
  })

  it('are ended by signals, and a missing command is ENOENT', async () => {
    const { stdout } = await runOne(({ require, process }) => {
      const { spawn, exec } = require('child_process')
      const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'])
      child.on('exit', (code: number, signal: string) => process.stdout.write(`${code} ${signal}\n`))
      child.kill()
      spawn('no-such-command').on('error', (error: any) =>
        process.stdout.write(`${error.code} ${error.syscall}\n`),
      )
      exec('echo one "two three"', (_error: unknown, out: string) => process.stdout.write(out))
    })
    expect(stdout.split('\n').sort()).toEqual(
      ['', 'ENOENT spawn no-such-command', 'null SIGTERM', 'one two three'].sort(),
    )
  })
})

describe('worker threads', () => {
  it('exchange messages and ports, and end with their exit code', async () => {
    const { stdout } = await runOne(({ require, process }) => {
      const { Worker, MessageChannel } = require('worker_threads')
      const code = `
        const { parentPort, workerData, threadId, isMainThread } = require('worker_threads')
        parentPort.once('message', ({ port }) => {
          port.postMessage([workerData, threadId, isMainThread, process.pid])
          process.exit(5)
        })`
      const worker = new Worker(code, { eval: true, workerData: { a: new Map([[1, 2]]) } })
      const { port1, port2 } = new MessageChannel()
      port1.on('message', (message: unknown) => {
        process.stdout.write(`${require('util').inspect(message)}\n`)
        port1.close()
      })
      worker.on('exit', (exitCode: number) => process.stdout.write(`exit ${exitCode}\n`))
      worker.postMessage({ port: port2 }, [port2])
    })
    expect(stdout).toBe('[ { a: Map(1) { 1 => 2 } }, 1, false, 1000 ]\nexit 5\n')
  })

  it('tell their creator of an uncaught exception', async () => {
    const { stdout } = await runOne(({ require, process }) => {
      const { Worker } = require('worker_threads')
      const worker = new Worker('throw new RangeError("inside")', { eval: true })
      worker.on('error', (error: Error) => process.stdout.write(`${error.name}: ${error.message}\n`))
      worker.on('exit', (code: number) => process.stdout.write(`exit ${code}\n`))
    })
    expect(stdout).toBe('RangeError: inside\nexit 1\n')
  })
})
