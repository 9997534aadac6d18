/**
 * Files: positions of handles, appending, listing, renaming, links, streams, and the fields of every error. Files live in
 * the working directory; times and numbers of inodes are never logged.
 */
import { describe } from 'vitest'
import { same } from './parity.ts'

describe('handles', () => {
  same('a descriptor has a position, and reads at a position leave it', (log, require) => {
    const fs = require('node:fs')
    fs.writeFileSync('file', 'abcdefghij')
    const fd = fs.openSync('file', 'r')
    const read = (length: number, position: number | null) => {
      const buffer = Buffer.alloc(length, '.')
      log(fs.readSync(fd, buffer, 0, length, position), `${buffer}`)
    }
    read(3, null)
    read(3, 7)
    read(3, null)
    read(10, null)
    read(1, null)
    read(5, 100)
    fs.closeSync(fd)
  })

  same('writes follow the position, leave holes, and overwrite', (log, require) => {
    const fs = require('node:fs')
    const fd = fs.openSync('file', 'w+')
    fs.writeSync(fd, 'hello')
    fs.writeSync(fd, 'J', 0)
    fs.writeSync(fd, ' world')
    fs.writeSync(fd, 'far', 20)
    log(fs.readFileSync('file').toString('latin1').replaceAll('\0', '_'), fs.fstatSync(fd).size)
    fs.ftruncateSync(fd, 5)
    fs.writeSync(fd, '!')
    log(fs.readFileSync('file').toString('latin1').replaceAll('\0', '_'))
    fs.closeSync(fd)
  })

  same('appending ignores positions, whoever else writes', (log, require) => {
    const fs = require('node:fs')
    fs.writeFileSync('file', 'start')
    const one = fs.openSync('file', 'a+')
    const two = fs.openSync('file', 'a')
    fs.writeSync(one, ' one', 0)
    fs.writeSync(two, ' two', 0)
    fs.writeSync(one, ' three')
    log(fs.readFileSync('file', 'utf8'))
    const buffer = Buffer.alloc(5)
    log(fs.readSync(one, buffer, 0, 5, 0), `${buffer}`)
  })

  same('a FileHandle reads on where it stopped, and readFile from there', async (log, require) => {
    const { open, writeFile } = require('node:fs/promises')
    await writeFile('file', 'one\ntwo\nthree\n')
    const handle = await open('file', 'r+')
    log((await handle.read(Buffer.alloc(4), 0, 4)).bytesRead, await handle.readFile('utf8'))
    log(await handle.readFile('utf8'))
    log(await handle.write('ONE', 0), (await handle.stat()).size)
    await handle.close()
    log(handle.fd)
    await handle.read(Buffer.alloc(1)).catch(({ code, syscall, message }: any) => log(code, syscall, message))
    const lines = await open('file')
    for await (const line of lines.readLines()) log(line)
  })

  same('closing twice, and using what is closed', async (log, require) => {
    const fs = require('node:fs')
    fs.closeSync(fs.openSync('file', 'w'))
    for (const call of [
      () => fs.closeSync(1_000_000),
      () => fs.writeSync(1_000_000, 'x'),
      () => fs.fstatSync(1_000_000),
      () => fs.fsyncSync(1_000_000),
      () => fs.readSync(1_000_000, Buffer.alloc(1)),
      () => fs.closeSync(-1),
    ]) {
      try {
        call()
      } catch (error: any) {
        log(error.code, error.errno, error.syscall, error.message)
      }
    }
    const handle = await fs.promises.open('file')
    await Promise.all([handle.close(), handle.close()])
    await handle.close().then(
      () => log('again'),
      (error: any) => log(error.code, error.message),
    )
  })

  same('flags decide about creating, truncating and refusing', (log, require) => {
    const fs = require('node:fs')
    fs.writeFileSync('there', 'content')
    for (const flag of ['r', 'r+', 'rs+', 'w', 'wx', 'w+', 'wx+', 'a', 'ax', 'a+', 'ax+', 'as+']) {
      for (const path of ['there', 'missing']) {
        try {
          const fd = fs.openSync(path, flag)
          log(flag, path, fs.fstatSync(fd).size)
          fs.closeSync(fd)
        } catch ({ code, message }: any) {
          log(flag, path, code, message)
        }
        fs.rmSync('missing', { force: true })
        fs.writeFileSync('there', 'content')
      }
    }
  })

  same('vectored reads and writes', (log, require) => {
    const fs = require('node:fs')
    const fd = fs.openSync('file', 'w+')
    log(fs.writevSync(fd, [Buffer.from('ab'), Buffer.from('cde'), Buffer.alloc(0), Buffer.from('f')]))
    const parts = [Buffer.alloc(2), Buffer.alloc(3), Buffer.alloc(4, '.')]
    log(fs.readvSync(fd, parts, 0), parts.map(String))
    fs.writev(fd, [Buffer.from('XY')], 1, (error: any, written: number, buffers: Buffer[]) => {
      log(error, written, buffers.length, fs.readFileSync('file', 'utf8'))
    })
  })
})

describe('names', () => {
  same('a listing has every name once, with its type', (log, require) => {
    const fs = require('node:fs')
    fs.mkdirSync('folder/nested/deep', { recursive: true })
    for (const name of ['b', 'a', 'nested/c', 'nested/deep/d', 'Ä', '.hidden', 'a b']) {
      fs.writeFileSync(`folder/${name}`, '')
    }
    fs.symlinkSync('a', 'folder/link')
    log(fs.readdirSync('folder').sort())
    log(
      fs
        .readdirSync('folder', { withFileTypes: true })
        .map((entry: any) => [entry.name, entry.isFile(), entry.isDirectory(), entry.isSymbolicLink()].join())
        .sort(),
    )
    log(fs.readdirSync('folder', { recursive: true }).sort())
    log(fs.readdirSync('folder', 'buffer').map(String).sort())
  })

  same('opendir gives entries one by one, and ends once', async (log, require) => {
    const fs = require('node:fs/promises')
    await fs.mkdir('folder')
    for (const name of ['a', 'b', 'c']) await fs.writeFile(`folder/${name}`, '')
    const names: string[] = []
    const dir = await fs.opendir('folder', { bufferSize: 2 })
    for await (const { name } of dir) names.push(name as string)
    log(names.sort())
    await dir.close().catch(({ code, message }: any) => log(code, message))
    await fs
      .opendir('missing')
      .catch(({ code, syscall, path, message }: any) => log(code, syscall, path, message))
    await fs.opendir('folder/a').catch(({ code, syscall }: any) => log(code, syscall))
  })

  same('renaming over what exists', (log, require) => {
    const fs = require('node:fs')
    const attempt = (from: string, to: string) => {
      try {
        fs.renameSync(from, to)
        log(from, to, fs.readdirSync('.', { recursive: true }).sort())
      } catch ({ code, errno, syscall, path, dest, message }: any) {
        log(code, errno, syscall, path, dest, message)
      }
    }
    fs.writeFileSync('one', '1')
    fs.writeFileSync('two', '2')
    const open = fs.openSync('two', 'r')
    attempt('one', 'two')
    log(fs.readFileSync('two', 'utf8'), fs.readFileSync(open, 'utf8'), fs.fstatSync(open).nlink)
    fs.mkdirSync('empty')
    fs.mkdirSync('full/inner', { recursive: true })
    attempt('full', 'empty')
    fs.mkdirSync('other')
    attempt('other', 'empty')
    attempt('two', 'other')
    attempt('other', 'two')
    attempt('missing', 'anything')
    attempt('empty', 'empty/inner/below')
    attempt('two', 'two')
    attempt('two', 'nowhere/two')
  })

  same('a removed file lives as long as somebody has it open', (log, require) => {
    const fs = require('node:fs')
    fs.writeFileSync('file', 'kept')
    const fd = fs.openSync('file', 'r+')
    fs.unlinkSync('file')
    log(fs.existsSync('file'), fs.fstatSync(fd).nlink, fs.readFileSync(fd, 'utf8'))
    fs.writeSync(fd, ' and changed')
    fs.writeFileSync('file', 'new')
    const buffer = Buffer.alloc(20)
    log(buffer.toString('utf8', 0, fs.readSync(fd, buffer, 0, 20, 0)), fs.readFileSync('file', 'utf8'))
  })

  same('links, hard and symbolic', (log, require) => {
    const fs = require('node:fs')
    fs.writeFileSync('file', 'x')
    fs.linkSync('file', 'hard')
    fs.symlinkSync('file', 'soft')
    fs.symlinkSync('missing', 'dangling')
    fs.symlinkSync('loop', 'loop')
    log(fs.statSync('file').nlink, fs.statSync('file').ino === fs.statSync('hard').ino)
    log(fs.readlinkSync('soft'), fs.lstatSync('soft').isSymbolicLink(), fs.statSync('soft').isFile())
    log(fs.lstatSync('soft').size, fs.realpathSync('soft').endsWith('/file'))
    const calls: [string, ...unknown[]][] = [
      ['statSync', 'dangling'],
      ['readFileSync', 'dangling'],
      ['statSync', 'loop'],
      ['realpathSync', 'dangling'],
      ['readlinkSync', 'file'],
      ['linkSync', 'file', 'hard'],
      ['symlinkSync', 'file', 'soft'],
      ['linkSync', 'missing', 'other'],
      ['unlinkSync', 'missing'],
    ]
    for (const [name, ...args] of calls) {
      try {
        fs[name](...args)
      } catch ({ code, errno, syscall, path, dest }: any) {
        log(name, code, errno, syscall, path?.split('/').at(-1), dest)
      }
    }
    fs.writeFileSync('dangling', 'through the link')
    log(fs.readFileSync('missing', 'utf8'))
  })

  same('folders: making, removing, and what stands in the way', (log, require) => {
    const fs = require('node:fs')
    fs.writeFileSync('file', '')
    const calls: [string, ...unknown[]][] = [
      ['mkdirSync', 'a'],
      ['mkdirSync', 'a'],
      ['mkdirSync', 'a', { recursive: true }],
      ['mkdirSync', 'x/y'],
      ['mkdirSync', 'file/below'],
      ['mkdirSync', 'file/below', { recursive: true }],
      ['mkdirSync', 'a/b/c', { recursive: true }],
      ['rmdirSync', 'a'],
      ['rmdirSync', 'file'],
      ['rmdirSync', 'missing'],
      ['unlinkSync', 'a'],
      ['rmSync', 'a'],
      ['rmSync', 'missing'],
      ['rmSync', 'missing', { force: true }],
      ['rmSync', 'a', { recursive: true }],
      ['readdirSync', 'file'],
      ['readFileSync', '.'],
      ['writeFileSync', '.', 'x'],
      ['accessSync', 'missing'],
      ['truncateSync', 'missing'],
      ['utimesSync', 'missing', 0, 0],
      ['chmodSync', 'missing', 0o644],
      ['copyFileSync', 'file', 'copy'],
      ['copyFileSync', 'file', 'copy', 1],
      ['copyFileSync', 'missing', 'copy'],
      ['opendirSync', 'file'],
    ]
    for (const [name, ...args] of calls) {
      try {
        const result = fs[name](...args)
        log(name, args, typeof result === 'string' ? result.split('/').at(-1) : typeof result)
      } catch ({ code, errno, syscall, path, dest, message }: any) {
        log(name, args, code, errno, syscall, path, dest, message)
      }
    }
  })

  same('modes, times and kinds in what stat tells', (log, require) => {
    const fs = require('node:fs')
    fs.writeFileSync('file', 'x'.repeat(1000), { mode: 0o640 })
    fs.chmodSync('file', 0o604)
    log((fs.statSync('file').mode & 0o777).toString(8), fs.statSync('file').size)
    fs.utimesSync('file', 1000, 2000.5)
    const { atimeMs, mtimeMs, mtime } = fs.statSync('file')
    log(atimeMs, mtimeMs, mtime.toISOString())
    log(fs.statSync('file', { bigint: true }).mtimeNs)
    log(fs.statSync('missing', { throwIfNoEntry: false }), fs.lstatSync('missing', { throwIfNoEntry: false }))
    const kinds = [
      'isFile',
      'isDirectory',
      'isBlockDevice',
      'isCharacterDevice',
      'isSymbolicLink',
      'isFIFO',
      'isSocket',
    ]
    for (const path of ['file', '.', '/dev/null'])
      log(
        path,
        kinds.filter((kind) => fs.statSync(path)[kind]()),
      )
  })
})

describe('callbacks, promises and streams', () => {
  same('operations that are asked for one after the other end in that order', async (log, require) => {
    const fs = require('node:fs/promises')
    await fs.writeFile('file', '')
    for (const part of ['a', 'b', 'c']) await fs.appendFile('file', part)
    log(await fs.readFile('file', 'utf8'))
    await fs.writeFile('file', 'short')
    log(await fs.readFile('file', { encoding: 'hex' }))
    await fs.cp('file', 'copy')
    log((await fs.readdir('.')).sort())
  })

  same('an error of a callback and of a promise have the same fields', async (log, require) => {
    const fs = require('node:fs')
    const fields = ({ code, errno, syscall, path, message }: any) => log(code, errno, syscall, path, message)
    await new Promise<void>((resolve) =>
      fs.readFile('missing', (error: any) => {
        fields(error)
        resolve()
      }),
    )
    await fs.promises.readFile('missing').catch(fields)
    for (const call of [
      () => fs.readFile('x'),
      () => fs.readFile(1.5, () => {}),
      () => fs.writeFile('x', Symbol('no'), () => {}),
      () => fs.open('x', 'nonsense', () => {}),
      () => fs.mkdirSync('a\0b'),
      () => fs.readSync(0, Buffer.alloc(1), 5, 5, 0),
    ]) {
      try {
        call()
      } catch ({ code, name, message }: any) {
        log(code, name, message)
      }
    }
  })

  same('a stream of a file: events in order, ranges, destruction', async (log, require) => {
    const fs = require('node:fs')
    const { once } = require('node:events')
    const watch = (name: string, stream: any) => {
      for (const event of ['open', 'ready', 'data', 'end', 'finish', 'close', 'error']) {
        stream.on(event, (value: any) =>
          log(name, event, event === 'data' ? `${value}` : (value?.code ?? '')),
        )
      }
      return stream
    }
    const output = watch('out', fs.createWriteStream('file'))
    output.write('hello ')
    output.end('world')
    await once(output, 'close')
    log(output.bytesWritten, output.path, output.pending)
    const input = watch('in', fs.createReadStream('file', { start: 2, end: 7, highWaterMark: 4 }))
    await once(input, 'close')
    log(input.bytesRead)
    const gone = watch('gone', fs.createReadStream('missing'))
    await new Promise((resolve) => gone.on('close', resolve))
    const appended = watch('append', fs.createWriteStream('file', { flags: 'r+', start: 6 }))
    appended.end('W')
    await once(appended, 'close')
    const cut = watch('cut', fs.createReadStream('file'))
    cut.destroy(new Error('enough'))
    await new Promise((resolve) => cut.on('close', resolve))
    log(fs.readFileSync('file', 'utf8'))
  })

  same('a watcher hears of what happens in a folder', async (log, require) => {
    const fs = require('node:fs')
    fs.mkdirSync('folder')
    fs.writeFileSync('folder/old', '')
    const heard = new Set<string>()
    const watcher = fs.watch('folder', (event: string, name: string) => heard.add(`${event} ${name}`))
    watcher.on('close', () => log('closed'))
    await new Promise((resolve) => setTimeout(resolve, 50))
    fs.writeFileSync('folder/new', 'x')
    fs.renameSync('folder/old', 'folder/renamed')
    fs.unlinkSync('folder/new')
    await new Promise((resolve) => setTimeout(resolve, 100))
    log([...heard].sort())
    watcher.close()
    try {
      fs.watch('missing')
    } catch ({ code, syscall, path, filename, message }: any) {
      log(code, syscall, path, filename, message)
    }
  })

  same('watchFile compares what stat says', async (log, require) => {
    const fs = require('node:fs')
    fs.writeFileSync('file', 'a')
    fs.utimesSync('file', 1, 1)
    await new Promise<void>((resolve) => {
      fs.watchFile('file', { interval: 20 }, (now: any, before: any) => {
        log(before.size, now.size)
        fs.unwatchFile('file')
        resolve()
      })
      setTimeout(() => fs.writeFileSync('file', 'abc'), 60)
    })
  })

  same('an abort signal stops a read and a write', async (log, require) => {
    const fs = require('node:fs')
    fs.writeFileSync('file', 'x'.repeat(100_000))
    const told = ({ name, code, message, cause }: any) => log(name, code, message, `${cause}`)
    await fs.promises.readFile('file', { signal: AbortSignal.abort() }).catch(told)
    await fs.promises.writeFile('file', 'y', { signal: AbortSignal.abort(new Error('why')) }).catch(told)
    const controller = new AbortController()
    const reading = new Promise<void>((resolve) => {
      fs.readFile('file', { signal: controller.signal }, (error: any) => {
        told(error)
        resolve()
      })
    })
    controller.abort()
    await reading
    const stream = fs.createReadStream('file', { signal: AbortSignal.abort() })
    await new Promise((resolve) => stream.on('error', told).on('close', resolve))
    log(fs.readFileSync('file').length)
  })

  same('temporary folders, access and copying trees', async (log, require) => {
    const fs = require('node:fs')
    const path = fs.mkdtempSync('prefix-')
    log(/^prefix-.{6}$/.test(path), fs.statSync(path).isDirectory())
    fs.mkdirSync('tree/inner', { recursive: true })
    fs.writeFileSync('tree/a', '1')
    fs.writeFileSync('tree/inner/b', '2')
    fs.cpSync('tree', 'copy', { recursive: true })
    log(fs.readdirSync('copy', { recursive: true }).sort())
    try {
      fs.cpSync('tree', 'copy2')
    } catch ({ code }: any) {
      log(code)
    }
    log(await fs.promises.access('tree/a', fs.constants.R_OK))
  })
})
