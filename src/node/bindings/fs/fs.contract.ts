/**
 * Uses of files by programs, written once and run twice: on the real file system and in the tank. Each body gets the
 * `fs` module of its arm, an empty directory, and a `note` function; what it notes must be equal in both. Inode numbers,
 * devices and times are a machine's own and stay out.
 */
import type * as NodeFs from 'node:fs'

export interface Arm {
  readonly fs: typeof NodeFs
  /** An empty directory. */
  readonly root: string
  readonly note: (...values: unknown[]) => void
}

type Body = (arm: Arm) => unknown

/** An error as a program can tell it from another, its own directory's path left out. */
export function plain(error: unknown, root: string): unknown {
  if (!(error instanceof Error)) return error
  const own: Record<string, unknown> = {}
  for (const key of Object.keys(error)) own[key] = (error as unknown as Record<string, unknown>)[key]
  return JSON.parse(
    JSON.stringify({ name: error.name, message: error.message, keys: Object.keys(error), ...own })
      .replaceAll(root, 'ROOT')
      .replaceAll(/prefix-\w{6}/g, 'prefix-XXXXXX'), // libc leaves its last try there
  )
}

function settled(callback: (done: (...args: any[]) => void) => void): Promise<any[]> {
  return new Promise((resolve) => callback((...args) => resolve(args)))
}

/** Operations that fail, in all three forms. */
const failing: Readonly<Record<string, readonly unknown[]>> = {
  access: ['missing'],
  appendFile: ['directory', 'x'],
  chmod: ['missing', 0o644],
  chown: ['missing', 1, 1],
  copyFile: ['missing', 'copy'],
  lchown: ['missing', 1, 1],
  link: ['missing', 'new'],
  lstat: ['file/below'],
  lutimes: ['missing', 1, 1],
  mkdir: ['directory'],
  mkdtemp: ['missing/prefix-'],
  open: ['missing'],
  opendir: ['file'],
  readdir: ['file'],
  readFile: ['directory'],
  readlink: ['file'],
  realpath: ['missing'],
  rename: ['missing', 'new'],
  rm: ['directory'],
  rmdir: ['full'],
  stat: ['loop'],
  statfs: ['missing'],
  symlink: ['target', 'file'],
  truncate: ['missing', 1],
  unlink: ['directory'],
  utimes: ['missing', 1, 1],
  writeFile: ['missing/file', 'x'],
}

function prepare({ fs, root }: Arm): void {
  fs.mkdirSync(`${root}/directory`)
  fs.mkdirSync(`${root}/full`)
  fs.writeFileSync(`${root}/full/file`, 'x')
  fs.writeFileSync(`${root}/file`, 'content')
  fs.symlinkSync('loop', `${root}/loop`)
}

function inRoot(root: string, args: readonly unknown[]): unknown[] {
  return args.map((arg, i) => (typeof arg === 'string' && (i === 0 || arg !== 'x') ? `${root}/${arg}` : arg))
}

export const bodies: Readonly<Record<string, Body>> = {
  'errors of callbacks, promises and synchronous calls': async (arm) => {
    prepare(arm)
    const { fs, root, note } = arm
    for (const [name, args] of Object.entries(failing)) {
      const input = inRoot(root, args)
      const api = fs as unknown as Record<string, (...args: unknown[]) => unknown>
      try {
        api[`${name}Sync`](...input)
        note(name, 'sync ok')
      } catch (error) {
        note(name, 'sync', plain(error, root))
      }
      const [error] = await settled((done) => api[name](...input, done))
      note(name, 'callback', plain(error, root), error?.stack?.split('\n').length)
      const promises = fs.promises as unknown as Record<string, (...args: unknown[]) => Promise<unknown>>
      if (promises[name] !== undefined) {
        await promises[name](...input).then(
          () => note(name, 'promise ok'),
          (reason: unknown) => note(name, 'promise', plain(reason, root)),
        )
      }
    }
  },

  'errors on descriptors': async (arm) => {
    const { fs, root, note } = arm
    for (const name of [
      'fstat',
      'fsync',
      'fdatasync',
      'close',
      'ftruncate',
      'fchmod',
      'futimes',
      'read',
      'write',
    ]) {
      const more: Record<string, unknown[]> = {
        fchmod: [0o600],
        futimes: [1, 1],
        read: [new Uint8Array(4)],
        write: ['text'],
      }
      try {
        fs.readFileSync(9999)
      } catch (error) {
        note(plain(error, root))
      }
      for (const fd of [9999, -1, 1.5, '3', undefined]) {
        try {
          ;(fs as any)[`${name}Sync`](fd, ...(more[name] ?? []))
          note(name, fd, 'ok')
        } catch (error) {
          note(name, fd, plain(error, root))
        }
      }
    }
  },

  'whole files': async ({ fs, root, note }) => {
    const path = `${root}/f`
    fs.writeFileSync(path, 'one')
    fs.appendFileSync(path, ' two')
    note(
      fs.readFileSync(path, 'utf8'),
      fs.readFileSync(path).length,
      fs.existsSync(path),
      fs.existsSync(`${path}x`),
    )
    await fs.promises.writeFile(path, Buffer.from([0, 255, 128]))
    note([...(await fs.promises.readFile(path))])
    await fs.promises.appendFile(path, 'tail')
    note(await settled((done) => fs.readFile(path, 'latin1', done)))
    note(await settled((done) => fs.writeFile(path, 'x'.repeat(700_000), done)))
    note((await fs.promises.readFile(path)).length)
    note((await settled((done) => fs.readFile(path, done)))[1].length)
    fs.truncateSync(path, 5)
    note(fs.readFileSync(path, 'utf8'))
    await fs.promises.truncate(path, 8)
    note([...fs.readFileSync(path)])
    fs.writeFileSync(path, 'ü'.repeat(3), { mode: 0o600, flag: 'w' })
    note(fs.readFileSync(path, { encoding: 'utf8', flag: 'r' }), fs.statSync(path).size)
    note(fs.readFileSync(Buffer.from(path), 'base64'))
  },

  'positions and vectors': async ({ fs, root, note }) => {
    const fd = fs.openSync(`${root}/f`, 'w+', 0o644)
    note(
      fs.writeSync(fd, 'hello world'),
      fs.writeSync(fd, 'J', 0, 'utf8'),
      fs.writeSync(fd, Buffer.from('!!'), 0, 1),
    )
    const buffer = Buffer.alloc(20)
    note(fs.readSync(fd, buffer, 0, 20, 0), buffer.toString('utf8', 0, 12), fs.readSync(fd, buffer))
    note(fs.writevSync(fd, [Buffer.from('ab'), Buffer.from('cd')], 100), fs.fstatSync(fd).size)
    const parts = [Buffer.alloc(3), Buffer.alloc(200)]
    note(fs.readvSync(fd, parts, 99), parts[0].toString('latin1'), parts[1].subarray(0, 3).toString())
    note(await settled((done) => fs.read(fd, { buffer: Buffer.alloc(4), position: 6 }, done)))
    note(await settled((done) => fs.write(fd, 'zz', 2, 'utf8', done)))
    note(await settled((done) => fs.read(fd, Buffer.alloc(2), 0, 2, 2n, done)))
    fs.ftruncateSync(fd, 4)
    fs.fsyncSync(fd)
    fs.fdatasyncSync(fd)
    fs.closeSync(fd)
    note(fs.readFileSync(`${root}/f`, 'utf8'))
    const append = fs.openSync(`${root}/f`, 'a+')
    note(fs.writeSync(append, 'end', 0), fs.readFileSync(`${root}/f`, 'utf8'))
    fs.closeSync(append)
  },

  'file handles': async ({ fs, root, note }) => {
    const handle = await fs.promises.open(`${root}/f`, 'w+')
    note(await handle.write('first\nsecond\nthird'), (await handle.stat()).size)
    const { bytesRead, buffer } = await handle.read({ buffer: Buffer.alloc(5), position: 0 })
    note(bytesRead, buffer.toString())
    await handle.truncate(12)
    await handle.sync()
    await handle.datasync()
    await handle.chmod(0o600)
    await handle.utimes(1, 2)
    note((await handle.stat()).mtimeMs, await handle.readFile('utf8'))
    await handle.close()
    note(handle.fd)
    const lines: string[] = []
    for await (const line of (await fs.promises.open(`${root}/f`)).readLines()) lines.push(line)
    note(lines)
    await handle.stat().catch((error: unknown) => note(plain(error, root)))
    const chunks: string[] = []
    const readable = await fs.promises.open(`${root}/f`)
    for await (const chunk of readable.createReadStream({ encoding: 'utf8', highWaterMark: 4 }))
      chunks.push(chunk as string)
    note(chunks)
    const web = await fs.promises.open(`${root}/f`)
    let text = ''
    for await (const chunk of web.readableWebStream()) text += Buffer.from(chunk as ArrayBuffer).toString()
    await web.close()
    note(text, web.fd)
  },

  streams: async ({ fs, root, note }) => {
    const events: string[] = []
    const out = fs.createWriteStream(`${root}/f`)
    for (const name of ['open', 'ready', 'finish', 'close']) out.on(name, () => events.push(name))
    out.write('a'.repeat(100_000))
    out.end('tail')
    await settled((done) => out.on('close', done))
    note(events, out.bytesWritten)
    const seen: unknown[] = []
    const input = fs.createReadStream(`${root}/f`, { start: 99_990, end: 100_002, encoding: 'utf8' })
    for (const name of ['open', 'ready', 'end', 'close']) input.on(name, () => seen.push(name))
    input.on('data', (chunk) => seen.push(chunk))
    await settled((done) => input.on('close', done))
    note(seen, input.bytesRead)
    const missing = fs.createReadStream(`${root}/missing`)
    note(plain((await settled((done) => missing.on('error', done)))[0], root))
  },

  directories: async ({ fs, root, note }) => {
    note(
      fs.mkdirSync(`${root}/a/b/c`, { recursive: true })?.replace(root, ''),
      fs.mkdirSync(`${root}/a/b`, { recursive: true }),
    )
    note(
      await fs.promises.mkdir(`${root}/a/d/e`, { recursive: true }).then((path) => path?.replace(root, '')),
    )
    for (const name of ['z', 'ä', 'B', 'a0', '10', '9']) fs.writeFileSync(`${root}/a/${name}`, name)
    fs.symlinkSync('z', `${root}/a/link`)
    note(fs.readdirSync(`${root}/a`), fs.readdirSync(`${root}/a`, 'buffer').map(String))
    const describe = (entry: NodeFs.Dirent): unknown[] => [
      entry.name,
      entry.isFile(),
      entry.isDirectory(),
      entry.isSymbolicLink(),
    ]
    note(fs.readdirSync(`${root}/a`, { withFileTypes: true }).map(describe))
    note((await fs.promises.readdir(root, { recursive: true })).sort())
    note((fs.readdirSync(root, { recursive: true }) as string[]).sort())
    note(
      (await settled((done) => fs.readdir(root, { recursive: true, withFileTypes: true }, done)))[1]
        .map(describe)
        .sort(),
    )
    const names: string[] = []
    for await (const entry of await fs.promises.opendir(`${root}/a`)) names.push(entry.name)
    const dir = fs.opendirSync(`${root}/a`)
    for (let entry = dir.readSync(); entry !== null; entry = dir.readSync()) names.push(entry.name)
    dir.closeSync()
    note(names.sort())
    try {
      dir.readSync()
    } catch (error) {
      note(plain(error, root))
    }
    const made = await fs.promises.mkdtemp(`${root}/tmp-`)
    note(made.replace(root, '').length, fs.statSync(made).mode)
    fs.rmSync(`${root}/a`, { recursive: true })
    await fs.promises.rm(made, { recursive: true })
    note(fs.readdirSync(root))
    note(fs.rmSync(`${root}/missing`, { force: true }))
  },

  copies: async ({ fs, root, note }) => {
    fs.mkdirSync(`${root}/from/sub`, { recursive: true })
    fs.writeFileSync(`${root}/from/a`, 'a', { mode: 0o640 })
    fs.writeFileSync(`${root}/from/sub/b`, 'b')
    fs.symlinkSync('a', `${root}/from/link`)
    fs.utimesSync(`${root}/from/a`, 7, 8)
    fs.cpSync(`${root}/from`, `${root}/one`, { recursive: true })
    await fs.promises.cp(`${root}/from`, `${root}/two`, { recursive: true, verbatimSymlinks: true })
    await settled((done) =>
      fs.cp(`${root}/from`, `${root}/three`, { recursive: true, preserveTimestamps: true }, done),
    )
    for (const name of ['one', 'two', 'three']) {
      note(name, (fs.readdirSync(`${root}/${name}`, { recursive: true }) as string[]).sort())
      note(
        fs.readFileSync(`${root}/${name}/sub/b`, 'utf8'),
        fs.readlinkSync(`${root}/${name}/link`).replace(root, ''),
      )
      note(fs.statSync(`${root}/${name}/a`).mode)
    }
    note(fs.statSync(`${root}/three/a`).mtimeMs)
    for (const name of ['one', 'from']) fs.unlinkSync(`${root}/${name}/link`) // listing order differs
    for (const options of [{ recursive: true, errorOnExist: true, force: false }, {}, { recursive: true }]) {
      for (const [from, to] of [
        ['from', 'one'],
        ['from', 'from/sub/x'],
        ['from/a', 'one'],
        ['from', 'from/a'],
        ['none', 'x'],
      ]) {
        try {
          fs.cpSync(`${root}/${from}`, `${root}/${to}`, options)
          note(from, to, 'ok')
        } catch (error) {
          note(from, to, (error as { code?: string }).code)
        }
        await fs.promises.cp(`${root}/${from}`, `${root}/${to}`, options).then(
          () => note(from, to, 'promise ok'),
          (error: { code?: string }) => note(from, to, error.code),
        )
      }
    }
    fs.copyFileSync(`${root}/from/a`, `${root}/copy`)
    try {
      fs.copyFileSync(`${root}/from/a`, `${root}/copy`, fs.constants.COPYFILE_EXCL)
    } catch (error) {
      note(plain(error, root))
    }
  },

  attributes: async ({ fs, root, note }) => {
    const path = `${root}/f`
    fs.writeFileSync(path, 'x'.repeat(5000))
    fs.utimesSync(path, 1.5, new Date(2_000_000))
    const stats = fs.statSync(path)
    note(stats.isFile(), stats.size, stats.mtimeMs, stats.atimeMs, stats.mtime, stats.nlink, stats.mode)
    const big = fs.statSync(path, { bigint: true })
    note(typeof big.size, String(big.mtimeNs), String(big.size))
    fs.chmodSync(path, 0o741)
    fs.linkSync(path, `${root}/g`)
    note(fs.statSync(path).mode, (await fs.promises.lstat(`${root}/g`)).nlink)
    fs.symlinkSync('f', `${root}/s`)
    note(
      fs.lstatSync(`${root}/s`).isSymbolicLink(),
      fs.statSync(`${root}/s`).isFile(),
      fs.lstatSync(`${root}/s`).size,
    )
    fs.lutimesSync(`${root}/s`, 5, 6)
    note(fs.lstatSync(`${root}/s`).mtimeMs, fs.statSync(path).mtimeMs)
    for (const name of ['missing', 'f/x']) {
      for (const method of ['statSync', 'lstatSync'] as const) {
        try {
          note(method, fs[method](`${root}/${name}`, { throwIfNoEntry: false }))
        } catch (error) {
          note(method, plain(error, root))
        }
      }
    }
    note(
      fs.realpathSync(`${root}/s`).replace(root, ''),
      fs.realpathSync.native(`${root}/./s`).replace(root, ''),
    )
    note(
      Object.entries(fs.statfsSync(root)).map(([key, value]) => [key, typeof value]),
      typeof (await fs.promises.statfs(root, { bigint: true })).bsize,
    )
    note(fs.readlinkSync(`${root}/s`), fs.readlinkSync(`${root}/s`, 'buffer').toString())
    fs.renameSync(path, `${root}/g2`)
    note(fs.readdirSync(root), fs.existsSync(`${root}/s`))
    note(fs.fstatSync(fs.openSync('/dev/null', 'r')).isCharacterDevice(), fs.readFileSync('/dev/null').length)
  },

  'an unlinked file lives as long as it is open': ({ fs, root, note }) => {
    const fd = fs.openSync(`${root}/f`, 'w+')
    fs.writeSync(fd, 'still here')
    fs.unlinkSync(`${root}/f`)
    const buffer = Buffer.alloc(10)
    note(
      fs.readSync(fd, buffer, 0, 10, 0),
      buffer.toString(),
      fs.fstatSync(fd).nlink,
      fs.existsSync(`${root}/f`),
    )
    fs.closeSync(fd)
  },
}
