/** Children: their streams, how they end and how that is told, messages between parent and child, limits and errors. */
import { describe } from 'vitest'
import { same } from './parity.ts'

describe('spawned children', () => {
  same('streams, exit and close come in order, with code and signal', async (log, require) => {
    const { spawn } = require('node:child_process')
    const script = `
      process.stdin.on('data', (chunk) => process.stdout.write(String(chunk).toUpperCase()))
      process.stdin.on('end', () => { process.stderr.write('done'); process.exitCode = 3 })`
    const child = spawn(process.execPath, ['-e', script])
    let out = ''
    let err = ''
    child.stdout.on('data', (chunk: Buffer) => (out += chunk))
    child.stderr.on('data', (chunk: Buffer) => (err += chunk))
    for (const event of ['spawn', 'exit', 'close', 'disconnect', 'error']) {
      child.on(event, (...values: unknown[]) => log(event, ...values))
    }
    child.stdin.write('hello ')
    child.stdin.end('world')
    await new Promise((resolve) => child.on('close', resolve))
    log(out, err, child.exitCode, child.signalCode, child.killed, child.connected)
  })

  same('every way to end has its code', async (log, require) => {
    const { spawn } = require('node:child_process')
    const scripts = [
      '',
      'process.exit(0)',
      'process.exit(255)',
      'process.exit(-1)',
      'process.exit("7")',
      'process.exitCode = 9',
      'throw new Error("no")',
      'Promise.reject(new Error("no"))',
      'process.on("uncaughtException", () => { throw new Error("again") }); throw new Error("first")',
      'process.on("exit", () => { process.exitCode = 12 })',
      'process.on("exit", () => { throw new Error("in exit") })',
      'process.abort && process.kill(process.pid, "SIGTERM"); setInterval(() => {}, 1000)',
      'process.kill(process.pid, "SIGKILL")',
      'this is not JavaScript',
    ]
    for (const script of scripts) {
      const child = spawn(process.execPath, ['-e', script], { stdio: 'ignore' })
      log(script, await new Promise((resolve) => child.on('exit', (...end: unknown[]) => resolve(end))))
    }
  })

  same('killing: once, twice, with signals that are handled, and nobody', async (log, require) => {
    const { spawn } = require('node:child_process')
    const start = (script: string) =>
      new Promise<any>((resolve) => {
        const child = spawn(process.execPath, [
          '-e',
          `${script}; setInterval(() => {}, 1000); console.log('up')`,
        ])
        child.stdout.once('data', () => resolve(child))
      })
    for (const signal of ['SIGTERM', 'SIGINT', 'SIGKILL', 'SIGHUP', 'SIGUSR2', 15]) {
      const child = await start('')
      const ended = new Promise((resolve) => child.on('exit', (...end: unknown[]) => resolve(end)))
      log(signal, child.kill(signal), child.killed, await ended, child.kill())
    }
    const polite = await start(
      'process.on("SIGTERM", (name, number) => { console.log(name, number); process.exit(4) })',
    )
    polite.stdout.on('data', (chunk: Buffer) => log(`${chunk}`.trim()))
    log(polite.kill(0), polite.kill('SIGTERM'))
    log(await new Promise((resolve) => polite.on('close', (...end: unknown[]) => resolve(end))))
    try {
      polite.kill('SIGNONSENSE')
    } catch ({ code }: any) {
      log(code)
    }
  })

  same('what cannot be started is an error event', async (log, require) => {
    const { spawn, execFile } = require('node:child_process')
    const failing = spawn('no-such-program', ['argument'])
    log(failing.pid)
    await new Promise<void>((resolve) => {
      failing.on('error', ({ code, errno, syscall, path, spawnargs, message }: any) => {
        log(code, errno, syscall, path, spawnargs, message)
      })
      failing.on('close', (...end: unknown[]) => {
        log('close', ...end)
        resolve()
      })
    })
    const elsewhere = spawn(process.execPath, ['-e', ''], { cwd: '/no/such/folder' })
    await new Promise((resolve) => elsewhere.on('error', ({ code }: any) => resolve(log(code))))
    require('node:fs').writeFileSync('plain', '')
    const plain = spawn('./plain')
    await new Promise((resolve) => plain.on('error', ({ code, syscall }: any) => resolve(log(code, syscall))))
    await new Promise<void>((resolve) => {
      execFile('no-such-program', (error: any, stdout: string, stderr: string) => {
        log(error.code, error.cmd, [stdout, stderr])
        resolve()
      })
    })
    for (const args of [[], [''], [12], ['x', 'y'], ['x', [], { stdio: 'nonsense' }], ['a\0b']]) {
      try {
        spawn(...args)
      } catch ({ code, message }: any) {
        log(args, code, message)
      }
    }
  })

  same('stdio: ignored, given descriptors, further pipes', async (log, require) => {
    const { spawn } = require('node:child_process')
    const fs = require('node:fs')
    const file = fs.openSync('output', 'w')
    const script = `
      const fs = require('fs')
      fs.writeSync(1, 'to the file'); fs.writeSync(3, 'to the pipe'); console.error('ignored')`
    const child = spawn(process.execPath, ['-e', script], { stdio: ['ignore', file, 'ignore', 'pipe'] })
    log(child.stdin, child.stdout, child.stderr, child.stdio.length)
    let piped = ''
    child.stdio[3].on('data', (chunk: Buffer) => (piped += chunk))
    await new Promise((resolve) => child.on('close', resolve))
    log(piped, fs.readFileSync('output', 'utf8'))
  })

  same('a child has its own environment, directory and arguments', async (log, require) => {
    const { execFileSync, spawn } = require('node:child_process')
    require('node:fs').mkdirSync('inner')
    const script =
      'console.log(process.argv.slice(1), process.env.COLOUR, process.cwd().split("/").at(-1), process.argv0)'
    const child = spawn(process.execPath, ['-e', script, 'a b', '', '"q"'], {
      env: { COLOUR: 'blue', ABSENT: undefined },
      cwd: 'inner',
      argv0: 'renamed',
    })
    let out = ''
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => (out += chunk))
    await new Promise((resolve) => child.on('close', resolve))
    log(out.trim(), typeof execFileSync)
  })

  same('a script with a first line of its own is a program, if it may be run', async (log, require) => {
    const { execFile, exec } = require('node:child_process')
    const fs = require('node:fs')
    const line = `#!${process.execPath} --no-deprecation`
    fs.mkdirSync('bin')
    const text = `${line}\nconsole.log(process.argv.slice(2), process.execArgv, process.argv[1].split('/').at(-1))`
    fs.writeFileSync('bin/tool', text, { mode: 0o755 })
    fs.writeFileSync('bin/plain', text, { mode: 0o644 })
    const told = (error: any, stdout: string, stderr: string) =>
      log(error && [error.code, error.killed], stdout, /denied|not found/.exec(stderr)?.[0])
    const run = (file: string, args: string[], options: object = {}) =>
      new Promise<void>((resolve) => {
        execFile(file, args, options, (...end: [any, string, string]) => resolve(told(...end)))
      })
    await run('./bin/tool', ['a', 'b c'])
    await run('tool', ['by path'], { env: { PATH: `/nowhere:${process.cwd()}/bin` } })
    await run('./bin/plain', [])
    await run('./bin', [])
    await run('plain', [], { env: { PATH: `${process.cwd()}/bin` } })
    for (const command of [
      './bin/tool x',
      './bin/plain',
      './bin/missing',
      './bin/tool one && ./bin/tool two',
    ]) {
      await new Promise<void>((resolve) =>
        exec(command, (...end: [any, string, string]) => resolve(told(...end))),
      )
    }
  })

  same('an abort signal and a time-out end a child', async (log, require) => {
    const { exec, execFile, spawn } = require('node:child_process')
    const idle = ['-e', 'setInterval(() => {}, 1000)']
    const controller = new AbortController()
    const child = spawn(process.execPath, idle, { signal: controller.signal })
    child.on('error', ({ name, code, message }: any) => log('error', name, code, message))
    child.on('spawn', () => controller.abort(new Error('reason')))
    log(await new Promise((resolve) => child.on('close', (...end: unknown[]) => resolve(end))))
    await new Promise<void>((resolve) => {
      execFile(process.execPath, idle, { timeout: 300, killSignal: 'SIGKILL' }, (error: any) => {
        log(error.killed, error.signal, error.code)
        resolve()
      })
    })
    await new Promise<void>((resolve) => {
      exec('true', { signal: AbortSignal.abort() }, ({ name, code }: any) => {
        log(name, code)
        resolve()
      })
    })
  })
})

describe('exec and the shell', () => {
  same('what a shell says, and how exec tells its failure', async (log, require) => {
    const { exec } = require('node:child_process')
    const run = (command: string, options: object = {}) =>
      new Promise<void>((resolve) => {
        exec(command, options, (error: any, stdout: string, stderr: string) => {
          log(command, error && [error.code, error.signal, error.killed, error.cmd === command], [
            stdout,
            stderr.length > 0,
          ])
          resolve()
        })
      })
    await run('echo one; echo two')
    await run('echo $COLOUR "$COLOUR x"', { env: { COLOUR: 'blue' } })
    await run('exit 5')
    await run('echo out && false')
    await run('no-such-command-here')
    await run('echo text | cat')
    await run('echo kept > file; cat < file')
  })

  same('too much output is an error, with what had come by then', async (log, require) => {
    const { exec, execFile } = require('node:child_process')
    const print = (text: string, count: number) => [
      '-e',
      `process.stdout.write(${JSON.stringify(text)}.repeat(${count}))`,
    ]
    await new Promise<void>((resolve) => {
      execFile(process.execPath, print('x', 2000), { maxBuffer: 1000 }, (error: any, stdout: string) => {
        log(error.code, error.message, stdout.length)
        resolve()
      })
    })
    await new Promise<void>((resolve) => {
      execFile(
        process.execPath,
        print('é', 600),
        { maxBuffer: 1000, encoding: 'buffer' },
        (error: any, out: Buffer) => {
          log(error.code, out.length)
          resolve()
        },
      )
    })
    await new Promise<void>((resolve) => {
      execFile(process.execPath, print('x', 1000), { maxBuffer: 1000 }, (error: any, stdout: string) => {
        log(error, stdout.length)
        resolve()
      })
    })
    const { promisify } = require('node:util')
    log(await promisify(exec)('echo promised'))
    await promisify(exec)('echo said; exit 2').catch(({ code, stdout, stderr }: any) =>
      log(code, [stdout, stderr]),
    )
  })
})

describe('forked children', () => {
  same('messages go both ways, in order, and disconnecting ends the child', (log, require) => {
    const { fork } = require('node:child_process')
    if (process.send === undefined) {
      const child = fork(__filename, ['argument'])
      child.on('message', (value: unknown) => {
        log('parent got', value)
        if (value === 'last') child.disconnect()
      })
      for (const event of ['disconnect', 'exit', 'close'])
        child.on(event, (...values: unknown[]) => log(event, ...values))
      log(child.connected, child.send({ n: 1, date: new Date(0), nothing: undefined }))
      child.send('two')
    } else {
      process.on('message', (value) => {
        process.send!(['echo', value, process.argv.length])
        if (value === 'two') process.send!('last')
      })
      process.on('disconnect', () => process.exit(6))
    }
  })

  same('advanced serialization keeps kinds', (log, require) => {
    const { fork } = require('node:child_process')
    if (process.send === undefined) {
      const child = fork(__filename, { serialization: 'advanced' })
      child.on('message', (value: unknown) => {
        log(value)
        child.disconnect()
      })
      child.on('exit', (code: number) => log('exit', code))
      child.send({ map: new Map([[1, new Date(0)]]), big: 10n, bytes: new Uint8Array([1]), undefined })
    } else {
      process.once('message', (value: any) => process.send!({ ...value, isMap: value.map instanceof Map }))
    }
  })

  same('sending to one that is gone', (log, require) => {
    const { fork } = require('node:child_process')
    if (process.send === undefined) {
      const child = fork(__filename)
      child.on('exit', (code: number, signal: string) => {
        log('exit', code, signal)
        child.send('late', (error: any) => log('callback', error.code, error.message))
        child.on('error', (error: any) => log('error', error.code))
        log(child.send('later'), child.connected)
        try {
          child.disconnect()
        } catch ({ code: thrown }: any) {
          log(thrown)
        }
      })
    } else {
      process.disconnect()
      log(process.connected, typeof process.send)
    }
  })

  same('a child that listens to messages stays, one that does not goes', async (log, require) => {
    const { fork } = require('node:child_process')
    if (process.send === undefined) {
      const quiet = fork(__filename, ['quiet'])
      log('quiet', await new Promise((resolve) => quiet.on('exit', resolve)))
      const listening = fork(__filename, ['listening'])
      listening.on('message', (value: unknown) => {
        log(value)
        listening.send('go')
      })
      log('listening', await new Promise((resolve) => listening.on('exit', resolve)))
    } else if (process.argv[2] === 'listening') {
      process.send('up')
      process.on('message', () => process.exit(8))
    }
  })

  same('a child that becomes another program keeps its pipes', (log, require) => {
    const { spawn } = require('node:child_process')
    const execve = (process as any).execve
    const stage = process.argv[2]
    if (execve === undefined) return log('Node has no execve yet')
    if (stage === 'first') {
      console.log('first', process.stdin.readableFlowing)
      execve(process.execPath, [process.execPath, process.argv[1], 'second'], { GIVEN: 'yes' })
    } else if (stage === 'second') {
      console.log('second', process.env.GIVEN)
      process.stdin.on('data', (data) => process.exit(String(data) === 'go' ? 5 : 6))
    } else {
      const child = spawn(process.execPath, [process.argv[1], 'first'], { stdio: ['pipe', 'pipe', 'ignore'] })
      let printed = ''
      child.stdout.on('data', (data: Buffer) => {
        printed += String(data)
        if (printed.includes('second')) child.stdin.write('go')
      })
      child.on('close', (code: number, signal: string) => log(printed, code, signal))
    }
    return undefined
  })
})
