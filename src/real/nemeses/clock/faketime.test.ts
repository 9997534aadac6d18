import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { DEFAULT_BUDGET } from '../../../faults/budget.ts'
import type { RealNode } from '../../cluster/cluster.ts'
import { clockSkew } from './clock-nemeses.ts'
import { clockRefusal, fakeClock, fakeTimeLibrary, setClock } from './faketime.ts'

const library = fakeTimeLibrary()
if (library === null)
  console.warn('SKIPPED: clock faults need libfaketime; on Debian: apt-get install faketime')

const folder = mkdtempSync(join(tmpdir(), 'wavetank-clock-'))
afterAll(() => rmSync(folder, { recursive: true }))

function node(system?: object): RealNode {
  const disk = join(folder, 'n1', 'disk')
  mkdirSync(disk, { recursive: true })
  return { name: 'n1', disk, launchChanges: [], placement: { definition: { system } } } as unknown as RealNode
}

/** 64 bits, little end first, with one program header of a kind. */
function program(name: string, header: number, more = ''): string {
  const elf = Buffer.alloc(64 + 56)
  elf.write('\u007fELF', 0, 'latin1')
  elf[4] = 2
  elf[5] = 1
  elf.writeBigUInt64LE(64n, 32)
  elf.writeUInt16LE(56, 54)
  elf.writeUInt16LE(1, 56)
  elf.writeUInt32LE(header, 64)
  const file = join(folder, name)
  writeFileSync(file, Buffer.concat([elf, Buffer.from(more)]), { mode: 0o755 })
  return file
}

describe('programs that do not follow another clock', () => {
  it('are those of Go, as etcd is, and those that are linked statically', () => {
    expect(clockRefusal(program('etcd', 3, 'Go build ID: "x"'), {})).toMatch(/etcd is written in Go/)
    expect(clockRefusal(program('static', 1), {})).toMatch(/linked statically/)
    expect(clockRefusal(process.execPath, {})).toBeNull()
  })

  it('are those that fail with the library and not without it, as Redis does', () => {
    const file = join(folder, 'redis')
    writeFileSync(file, '#!/bin/sh\n[ -z "$BROKEN" ]\n', { mode: 0o755 })
    expect(clockRefusal(file, { BROKEN: '1' })).toMatch(/redis does not run with libfaketime/)
  })

  it('are refused when the node starts, with the reason', () => {
    const etcd = node({ name: 'etcd' })
    fakeClock(etcd, 'library', dirname(process.execPath))
    const [change] = etcd.launchChanges
    const launch = { command: program('etcd-2', 3, 'Go build ID: "x"'), args: [], env: {}, cwd: '/' }
    expect(() => change(launch)).toThrow(/clock faults do not work on etcd: etcd-2 is written in Go/)
  })
})

describe.skipIf(library === null)('a clock fault', () => {
  const preparation = { path: process.env.PATH ?? '', members: null, budget: DEFAULT_BUDGET }

  it('is refused for a system that cannot be asked for its time, and for a budget without room', () => {
    const nodes = [node({ name: 'redis' })]
    expect(() => clockSkew.prepare!({ ...preparation, nodes }, 'one')).toThrow(/redis could not be proven/)
    const budget = { ...DEFAULT_BUDGET, clockSkewMs: 10 }
    expect(() => clockSkew.prepare!({ ...preparation, nodes: [node()], budget }, 'one')).toThrow(
      /at least 100/,
    )
  })

  it('gives a program its library and its clock once, and keeps the rest', () => {
    const victim = node()
    clockSkew.prepare!({ ...preparation, nodes: [victim] }, 'one')
    clockSkew.prepare!({ ...preparation, nodes: [victim] }, 'all')
    setClock(victim, -1500)
    expect(victim.launchChanges).toHaveLength(1)
    const launch = { command: process.execPath, args: ['x'], env: { A: '1' }, cwd: '/' }
    const { env, ...rest } = victim.launchChanges[0](launch)
    expect(rest).toEqual({ command: process.execPath, args: ['x'], cwd: '/' })
    expect(env).toMatchObject({
      A: '1',
      LD_PRELOAD: library,
      FAKETIME_TIMESTAMP_FILE: join(folder, 'n1/clock'),
    })
  })
})
