/**
 * Calls into native addons. A function of the host that works in the real thread pool stands for one: like an addon, it
 * calls back in a turn of the host's loop, when no step is under way. One test uses a real addon.
 */
import { pbkdf2 } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { afterEach, describe, expect, it } from 'vitest'
import { World } from '../../world/world.ts'
import { NodeThread } from '../isolation/thread.ts'
import { nativeWork } from '../process/native-work.ts'
import { NodeProgram } from '../process/program.ts'
import type { ProcessContext } from '../process/program-options.ts'
import { projectImage } from '../project-image.ts'
import { loadAddon, ownExports } from './native-addons.ts'

const ROOT = fileURLToPath(new URL('../../../', import.meta.url)).replace(/\/$/, '')
const LIMIT_MS = nativeWork.limitMs
afterEach(() => {
  nativeWork.limitMs = LIMIT_MS
})

type Callback = (error: Error | null, key: Buffer) => void

class Hasher {
  hash(rounds: number, callback: Callback): void {
    pbkdf2('secret', 'salt', rounds, 8, 'sha256', callback)
  }
}

const NATIVE = {
  hash: (rounds: number, callback: Callback) => pbkdf2('secret', 'salt', rounds, 8, 'sha256', callback),
  hashed: (rounds: number) =>
    new Promise((resolve) => pbkdf2('secret', 'salt', rounds, 8, 'sha256', (_, key) => resolve(key))),
  hashAll({ rounds, progress }: { rounds: number[]; progress: (done: number) => void }, done: () => void) {
    let left = rounds.length
    for (const some of rounds) {
      pbkdf2('secret', 'salt', some, 8, 'sha256', () => {
        progress(--left)
        if (left === 0) done()
      })
    }
  },
  each: (items: readonly string[], callback: (item: string) => void) =>
    items.forEach((item) => callback(item)),
  never: (_callback: () => void): void => {},
  Hasher,
}

type Addon = typeof NATIVE

async function run(
  entry: (addon: Addon, context: ProcessContext, log: (line: string) => void) => unknown,
): Promise<{ readonly lines: readonly string[]; readonly hash: string; readonly code: number | null }> {
  const world = new World({ seed: 1 })
  const lines: string[] = []
  const program = new NodeProgram({
    entry: (context) => entry(ownExports(NATIVE, 'hashing') as Addon, context, (line) => lines.push(line)),
  })
  const subject = world.addProcess('subject', world.addHost('host'), program)
  subject.start()
  await NodeThread.get().run(world.kernel)
  NodeThread.get().endWorld()
  return { lines, hash: world.kernel.hash.digest(), code: subject.exitStatus?.code ?? null }
}

describe('a callback of a native addon', () => {
  it('comes as an event of its process, in the order of the calls and at virtual time', async () => {
    const program = () =>
      run((addon, { globalThis: own, process }, log) => {
        const began = process.hrtime.bigint()
        addon.hash(200_000, () =>
          log(`long, within a second: ${process.hrtime.bigint() - began < 1_000_000_000n}`),
        )
        addon.hash(1, () => log('short'))
        own.setTimeout(() => log('timer'), 1)
      })
    const first = await program()
    expect([...first.lines].sort()).toEqual(['long, within a second: true', 'short', 'timer'])
    expect(first.lines.at(-1)).toBe('timer') // the thread pool takes less than a millisecond
    expect(first.code).toBe(0)
    expect(await program()).toEqual(first)
  })

  it('runs in the async context of its call', async () => {
    const { lines } = await run((addon, { require }, log) => {
      const { AsyncLocalStorage } = require('node:async_hooks')
      const storage = new AsyncLocalStorage()
      storage.run('context', () => addon.hash(1, () => log(storage.getStore())))
    })
    expect(lines).toEqual(['context'])
  })

  it('may throw, which is uncaught in its process', async () => {
    const { lines, code } = await run((addon, { process }, log) => {
      process.on('uncaughtException', (error) => log(error.message))
      addon.hash(1, () => {
        throw new Error('from a callback')
      })
    })
    expect({ lines, code }).toEqual({ lines: ['from a callback'], code: 0 })
  })

  it('that comes during the call is called at once', async () => {
    const { lines } = await run((addon, _, log) => {
      addon.each(['a', 'b'], log)
      log('after')
    })
    expect(lines).toEqual(['a', 'b', 'after'])
  })

  it('in an object of options is called before what ends the call, and the object stays as it was', async () => {
    const { lines } = await run((addon, _, log) => {
      const progress = (left: number) => log(`${left} left`)
      const options = { rounds: [1, 1, 1], progress }
      addon.hashAll(options, () => log('done'))
      log(String(options.progress === progress))
    })
    expect(lines[0]).toBe('true')
    expect(lines.slice(1).sort()).toEqual(['0 left', '1 left', '2 left', 'done'])
  })

  it('of a method works too', async () => {
    const { lines } = await run((addon, _, log) => {
      const hasher = new addon.Hasher()
      hasher.hash(1, (_error, key) => log(`${hasher instanceof addon.Hasher} ${key.length}`))
    })
    expect(lines).toEqual(['true 8'])
  })

  it('that never comes ends the run with the name of the call', async () => {
    nativeWork.limitMs = 20
    const waiting = run((addon) => addon.never(() => {}))
    await expect(waiting).rejects.toThrow(/never\(\) of hashing has brought nothing within 0.02 s/)
  })
})

describe('a promise of a native addon', () => {
  it('settles in a step of its process', async () => {
    const { lines, code } = await run(async (addon, { globalThis: own }, log) => {
      own.setTimeout(() => log('timer'), 1)
      const key = (await addon.hashed(100_000)) as Buffer
      log(`key of ${key.length}`)
      own.setTimeout(() => log('another timer'), 0)
    })
    expect({ lines, code }).toEqual({ lines: ['key of 8', 'timer', 'another timer'], code: 0 })
  })
})

describe('exports of an addon', () => {
  it('are each process its own', async () => {
    await run((addon) => {
      addon.each = () => {}
    })
    const { lines } = await run((addon, _, log) => addon.each(['still there'], log))
    expect(lines).toEqual(['still there'])
  })
})

describe('a real addon', () => {
  const program = (addons: readonly string[]) => {
    const world = new World({ seed: 1 })
    const image = [{ at: ROOT, from: ROOT, reader: projectImage() }]
    const host = world.addHost('host', { disk: { image } })
    const text = { 1: '', 2: '' }
    const entry = async ({ require, process }: ProcessContext) => {
      const { createRequire } = require('node:module')
      const { parseSync, parse } = createRequire(`${ROOT}/package.json`)('oxc-parser')
      const found = [parseSync('a.ts', 'let a: 1'), await parse('b.ts', 'let b: 2; b')]
      process.stdout.write(found.map(({ program }) => program.body.length).join())
    }
    const onOutput = ({ fd, bytes }: { fd: 1 | 2; bytes: Uint8Array }) => {
      text[fd] += new TextDecoder().decode(bytes)
    }
    world.addProcess('subject', host, new NodeProgram({ entry, loader: { addons }, onOutput })).start()
    return NodeThread.get()
      .run(world.kernel)
      .then(() => NodeThread.get().endWorld())
      .then(() => text)
  }

  it('is loaded if the package that depends on its build is listed', async () => {
    expect(JSON.parse(readFileSync(`${ROOT}/node_modules/oxc-parser/package.json`, 'utf8')).name).toBe(
      'oxc-parser',
    )
    expect(await program(['oxc-parser'])).toEqual({ 1: '1,2', 2: '' })
  })

  it('is refused otherwise, with the name of that package, whatever error its loader throws', async () => {
    const { 1: output, 2: errors } = await program([])
    expect(output).toBe('')
    expect(errors).toContain('Cannot find native binding')
    expect(errors).toMatch(/UsageError \[ERR_WAVETANK_NATIVE_ADDON\]: .* addons: \['oxc-parser'\]/)
  })

  it('that is no addon is an error of the real loader', () => {
    expect(() => loadAddon(`${ROOT}/package.json`)).toThrow(/package\.json/)
  })
})
