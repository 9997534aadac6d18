import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { World } from '../../../world/world.ts'
import { NodeProgram, NodeThread, type ProcessFunction } from '../../index.ts'
import { type Arm, bodies, plain } from './fs.contract.ts'

/** Runs a body in a process of a fresh world, to the process's end. */
async function inTank(run: ProcessFunction, world = new World({ seed: 1 })): Promise<World> {
  const host = world.hosts.get('n1') ?? world.addHost('n1')
  const output: string[] = []
  const entry = new NodeProgram({
    entry: run,
    cwd: '/srv',
    onOutput: ({ bytes }) => output.push(Buffer.from(bytes).toString()),
  })
  const process = world.addProcess(`p${world.processes.size}`, host, entry)
  process.start()
  await NodeThread.get().run(world.kernel)
  expect({ status: process.exitStatus, output: output.join('') }).toEqual({
    status: { code: 0, signal: null },
    output: '',
  })
  return world
}

async function onRealDisk(run: (arm: Arm) => unknown, note: Arm['note']): Promise<void> {
  const root = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'wavetank-fs-')))
  const umask = process.umask(0o022)
  try {
    await run({ fs, root, note })
  } finally {
    process.umask(umask)
    fs.rmSync(root, { recursive: true, force: true })
  }
}

describe('file operations in the tank are those of Node', () => {
  test.each(Object.entries(bodies))('%s', async (_name, body) => {
    const expected: unknown[] = []
    await onRealDisk(body, (...values) => expected.push(values))
    const actual: unknown[] = []
    await inTank(async ({ require }) => {
      const simulated = require('fs') as typeof fs
      simulated.mkdirSync('/srv/root')
      await body({ fs: simulated, root: '/srv/root', note: (...values) => actual.push(values) })
    })
    expect(expected.length).toBeGreaterThan(0)
    expect(actual).toEqual(expected)
  })

  const name = fc.constantFrom('/a', '/b', '/c', '/a/b', '/a/c', '/b/a/c', '/a/', '/a/../b')
  /** Unlike a path, which is known by its slash. */
  const content = fc.string({ maxLength: 5 }).map((text) => text.replace(/^\//, '|'))
  const call = fc.oneof(
    fc.tuple(
      fc.constantFrom('mkdirSync', 'rmdirSync', 'unlinkSync', 'readlinkSync', 'readdirSync'),
      fc.tuple(name),
    ),
    fc.tuple(fc.constantFrom('renameSync', 'linkSync', 'copyFileSync'), fc.tuple(name, name)),
    fc.tuple(fc.constant('symlinkSync'), fc.tuple(fc.constantFrom('a', 'b', '../a'), name)),
    fc.tuple(fc.constantFrom('writeFileSync', 'appendFileSync'), fc.tuple(name, content)),
    fc.tuple(fc.constant('readFileSync'), fc.tuple(name, fc.constant('utf8'))),
    fc.tuple(fc.constant('truncateSync'), fc.tuple(name, fc.nat(20))),
  )

  test('any sequence of calls gives the same values and the same error messages', async () => {
    const count = process.env.WAVETANK_FULL === '1' ? 5000 : 300
    const sequences = fc.sample(fc.array(call, { minLength: 5, maxLength: 20 }), { numRuns: count, seed: 42 })
    const run = ({ fs: api, root, note }: Arm): void => {
      for (const [i, sequence] of sequences.entries()) {
        const base = `${root}/${i}`
        api.mkdirSync(base)
        for (const [method, args] of sequence) {
          const input = args.map((arg) => (String(arg).startsWith('/') ? base + String(arg) : arg))
          try {
            note(method, args, (api as any)[method](...input))
          } catch (error) {
            note(method, args, plain(error, base))
          }
        }
      }
    }
    const expected: unknown[] = []
    await onRealDisk(run, (...values) => expected.push(values))
    const actual: unknown[] = []
    await inTank(({ require }) =>
      run({ fs: require('fs'), root: '/srv', note: (...values) => actual.push(values) }),
    )
    expect(actual).toEqual(expected)
  })
})

describe('watching', () => {
  test('fs.watch hears of changes in a directory, and nothing after it is closed', async () => {
    const heard: unknown[] = []
    await inTank(({ require }) => {
      const api = require('fs') as typeof fs
      const watcher = api.watch('/srv', (event, file) => heard.push([event, file]))
      api.writeFileSync('/srv/a', 'x')
      setTimeout(() => {
        watcher.close()
        api.writeFileSync('/srv/b', 'x')
      }, 100)
    })
    expect(heard).toEqual([
      ['rename', 'a'],
      ['change', 'a'],
    ])
  })

  test('fs.watchFile polls in virtual time', async () => {
    const heard: unknown[] = []
    const world = await inTank(({ require }) => {
      const api = require('fs') as typeof fs
      api.writeFileSync('/srv/a', 'x')
      api.watchFile('/srv/a', { interval: 5007 }, (now, before) => {
        heard.push([now.size, before.size])
        api.unwatchFile('/srv/a')
      })
      setTimeout(() => api.appendFileSync('/srv/a', 'yy'), 60_000)
    })
    expect(heard).toEqual([[3, 1]])
    expect(world.kernel.now).toBeGreaterThan(60_000_000)
  })
})

describe('a process and its disk', () => {
  test('what a process wrote is there for the next one', async () => {
    const world = await inTank(({ require }) => require('fs').writeFileSync('/srv/a', 'kept'))
    let found = ''
    await inTank(({ require }) => {
      found = require('fs').readFileSync('/srv/a', 'utf8')
    }, world)
    expect(found).toBe('kept')
  })

  test('files of an ended process are closed: an unlinked one gives its space back', async () => {
    const world = new World({ seed: 1 })
    const { space } = world.addHost('n1').disk
    const before = space.usedPages
    await inTank(({ require }) => {
      const api = require('fs') as typeof fs
      api.writeSync(api.openSync('/srv/a', 'w'), Buffer.alloc(100_000))
      api.unlinkSync('/srv/a')
    }, world)
    expect(space.usedPages).toBe(before)
  })

  test('two runs of one seed take the same steps', async () => {
    const run: ProcessFunction = async ({ require }) => {
      const { promises } = require('fs') as typeof fs
      await Promise.all(['a', 'b', 'c'].map((file) => promises.writeFile(file, file.repeat(9000))))
      await promises.mkdtemp('t-')
    }
    const digests = []
    for (let i = 0; i < 2; i++) digests.push((await inTank(run)).kernel.hash.digest())
    expect(digests[0]).toBe(digests[1])
    expect((await inTank(run, new World({ seed: 2 }))).kernel.hash.digest()).not.toBe(digests[0])
  })

  test('a stall makes an operation late and is counted', async () => {
    const world = new World({ seed: 1 })
    const { disk } = world.addHost('n1')
    disk.faults.rates = {
      ...disk.faults.rates,
      stallPpm: 1_000_000,
      stallMinUs: 500_000,
      stallMaxUs: 500_000,
    }
    await inTank(({ require }) => require('fs').stat('/srv', () => {}), world)
    expect(world.kernel.now).toBeGreaterThan(500_000)
    expect(world.reports.count('disk-stall')).toBe(1)
  })

  test('a synchronous operation that stalls blocks its own process and no other', async () => {
    const world = new World({ seed: 1 })
    const { disk } = world.addHost('n1')
    disk.faults.rates = {
      ...disk.faults.rates,
      stallPpm: 1_000_000,
      stallMinUs: 500_000,
      stallMaxUs: 500_000,
    }
    const heardAtUs: number[] = []
    const bystander = new NodeProgram({
      entry: () => void setTimeout(() => heardAtUs.push(world.kernel.now), 20),
    })
    world.addProcess('bystander', world.addHost('n2'), bystander).start()
    await inTank(({ require }) => {
      setTimeout(() => heardAtUs.push(world.kernel.now), 10)
      require('fs').statSync('/srv')
    }, world)
    expect(heardAtUs.map((us) => Math.floor(us / 10_000))).toEqual([2, 50])
  })

  test('a disk error reaches the program as EIO', async () => {
    const world = new World({ seed: 1 })
    const { disk } = world.addHost('n1')
    disk.faults.rates = { ...disk.faults.rates, syncErrorPpm: 1_000_000 }
    let error: unknown
    await inTank(async ({ require }) => {
      const { promises } = require('fs') as typeof fs
      const handle = await promises.open('/srv/a', 'w')
      await handle.write('x')
      error = await handle.sync().catch((reason: unknown) => plain(reason, '/srv'))
      await handle.close()
    }, world)
    expect(error).toMatchObject({
      message: 'EIO: i/o error, fsync',
      code: 'EIO',
      errno: -5,
      syscall: 'fsync',
    })
  })
})
