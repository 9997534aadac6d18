import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import type { RealNode } from '../../cluster/cluster.ts'
import { NodeProcess } from '../../cluster/node-process.ts'
import { findProgram } from '../../doctor/programs.ts'
import { checkTracing, FailingCalls } from './failing-calls.ts'
import { filesOf } from './files.ts'

const PATH = process.env.PATH ?? ''
const HAS_STRACE = findProgram('strace', PATH) !== null
if (!HAS_STRACE) console.warn('SKIPPED: disk faults need strace; on Debian: apt-get install strace')

const ends: (() => Promise<void> | void)[] = []
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end()
})

/** Writes and syncs a file again and again, and says what it got. */
const WRITER = `
const fs = require('node:fs')
const file = fs.openSync(process.argv[1], 'a')
setInterval(() => {
  for (const call of [() => fs.writeSync(file, 'x'), () => fs.fsyncSync(file)]) {
    try { call() } catch (error) { console.log(error.code) }
  }
}, 20)
`

async function node(program: string, file = 'disk/log'): Promise<RealNode> {
  const folder = mkdtempSync(join(tmpdir(), 'wavetank-calls-'))
  ends.push(() => rmSync(folder, { recursive: true }))
  const disk = join(folder, 'disk')
  mkdirSync(disk)
  const path = join(folder, file)
  writeFileSync(path, '')
  const process_ = new NodeProcess(join(folder, 'stdout'), join(folder, 'stderr'))
  await process_.start(
    { command: process.execPath, args: ['-e', program, path], env: {}, cwd: disk },
    () => {},
  )
  ends.push(async () => {
    const exit = process_.exit(60_000)
    if (process_.signal('SIGKILL')) await exit
  })
  return { name: 'n1', disk, process: process_ } as unknown as RealNode
}

/** Strikes until something is true, and returns what was hit. */
async function strike(
  victim: RealNode,
  effect: string,
  calls: readonly string[],
  isOver: (hits: ReadonlyMap<string, number>) => boolean,
): Promise<string[]> {
  const failing = new FailingCalls(victim, [{ calls, effect }], { PATH })
  await failing.begin()
  for (let turn = 0; turn < 1200 && !isOver(failing.hits()); turn++)
    await new Promise((resolve) => setTimeout(resolve, 25))
  await failing.end()
  return [...failing.hits().keys()]
}

const isHit = (hits: ReadonlyMap<string, number>): boolean => hits.size > 0

describe.skipIf(!HAS_STRACE)('calls that fail', () => {
  it('are those on files of the node, with the error that was asked for', async () => {
    const victim = await node(WRITER)
    expect(await strike(victim, 'error=ENOSPC', ['write'], isHit)).toEqual(['write ENOSPC'])
    expect(await strike(victim, 'delay_enter=1000', ['fsync'], isHit)).toEqual(['fsync delayed'])
  })

  it('are none where the program does not write, and none in files of others', async () => {
    let looks = 0
    const idle = await node('setInterval(() => {}, 20)')
    expect(await strike(idle, 'error=EIO', ['write'], () => ++looks > 10)).toEqual([])
    const other = await node(WRITER, 'elsewhere')
    const file = join(other.disk, '../elsewhere')
    while (statSync(file).size === 0) await new Promise((resolve) => setTimeout(resolve, 25))
    const size = statSync(file).size
    expect(await strike(other, 'error=EIO', ['write'], () => statSync(file).size > size + 5)).toEqual([])
    expect(statSync(file).size).toBeGreaterThan(size)
  })

  it('are none when the process is gone', async () => {
    const victim = await node('')
    await victim.process.exit(60_000)
    let looks = 0
    expect(await strike(victim, 'error=EIO', ['write'], () => ++looks > 2)).toEqual([])
  })

  it('can be made on this machine, and are refused where strace is missing', () => {
    expect(() => checkTracing(PATH)).not.toThrow()
    expect(() => checkTracing('/nowhere')).toThrow(/strace is not installed/)
  })
})

describe('files of a node', () => {
  it('are found by a path or by a name with stars', async () => {
    const { disk } = await node('', 'disk/log.1')
    mkdirSync(join(disk, 'data'))
    writeFileSync(join(disk, 'data', 'log.2'), 'x')
    writeFileSync(join(disk, 'log.1'), 'x')
    const found = (pattern: string | null): string[] =>
      filesOf({ disk } as RealNode, pattern).map((path) => path.slice(disk.length))
    expect(found(null)).toEqual(['/log.1', '/data/log.2'])
    expect(found('log.*')).toEqual(['/log.1', '/data/log.2'])
    expect(found('/data/*')).toEqual(['/data/log.2'])
    expect(found('/log.2')).toEqual([])
  })
})
