import { describe, expect, it } from 'vitest'
import { runOne } from '../process/programs.test-support.ts'

describe('what packages ask of the machine', () => {
  it('process.report.getReport() describes the simulated machine, the same in every run', async () => {
    const ask = (): Promise<{ stdout: string }> =>
      runOne(({ process }) => {
        const { header, sharedObjects } = process.report.getReport() as any
        process.stdout.write(JSON.stringify([header, sharedObjects]))
      })
    const { stdout } = await ask()
    const [header, sharedObjects] = JSON.parse(stdout)
    expect(header).toMatchObject({
      nodejsVersion: process.version,
      processId: 1000,
      host: 'main',
      osName: 'Linux',
    })
    expect(header.dumpEventTime).toBe('2027-01-01T00:00:00Z')
    expect(sharedObjects).toEqual([])
    const real = process.report.getReport() as unknown as { header: { glibcVersionRuntime?: string } }
    expect('glibcVersionRuntime' in header).toBe('glibcVersionRuntime' in real.header)
    expect((await ask()).stdout).toBe(stdout)
  })

  it('node:inspector can be imported, says that no debugger is there, and refuses to attach one', async () => {
    const { stdout, stderr } = await runOne(({ process, require: own }) => {
      const require = own('node:module').createRequire('/program.js')
      const inspector = require('node:inspector')
      const session = new inspector.Session()
      const say = (text: unknown): void => void process.stdout.write(`${text}\n`)
      say(inspector.url())
      say(typeof session.on)
      say(typeof require('node:inspector/promises').Session)
      for (const attempt of [() => session.connect(), () => inspector.open()]) {
        try {
          attempt()
        } catch (error) {
          say(`${(error as any).code} ${(error as Error).message.split(' is ')[0]}`)
        }
      }
    })
    expect(stderr).toBe('')
    expect(stdout.split('\n')).toEqual([
      'undefined',
      'function',
      'function',
      'ERR_WAVETANK_UNSUPPORTED inspector.Session.connect()',
      'ERR_WAVETANK_UNSUPPORTED inspector.open()',
      '',
    ])
  })

  it('a native program is refused by its name', async () => {
    const { stdout } = await runOne(({ process, require }) => {
      const [fs, { spawn }] = [require('node:fs'), require('node:child_process')]
      fs.writeFileSync('/tmp/esbuild', '\u007fELF\u0002\u0001', { mode: 0o755 })
      try {
        spawn('/tmp/esbuild', ['--version'])
      } catch (error) {
        process.stdout.write((error as Error).message)
      }
    })
    expect(stdout).toContain('the tank cannot start /tmp/esbuild: it is a native program')
  })

  it('an executable text without an interpreter runs in the shell', async () => {
    const { stdout } = await runOne(({ process, require }) => {
      const [fs, { spawn }] = [require('node:fs'), require('node:child_process')]
      fs.writeFileSync('/tmp/say', 'echo hello', { mode: 0o755 })
      spawn('/tmp/say').stdout.on('data', (data: unknown) => process.stdout.write(String(data)))
    })
    expect(stdout).toBe('hello\n')
  })

  it('module.register() says that TypeScript needs no hooks', async () => {
    const { stdout } = await runOne(({ process, require }) => {
      try {
        require('node:module').register('tsx/esm')
      } catch (error) {
        process.stdout.write((error as Error).message)
      }
    })
    expect(stdout).toContain('The tank reads TypeScript itself, so a program needs no tsx')
  })
})
