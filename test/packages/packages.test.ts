/**
 * Packages from npm, as users combine them, run unmodified: each program is run under plain Node and twice in the tank.
 * What it prints and its exit code are the same everywhere, and the two runs in the tank are the same to the bit.
 */
import { readdirSync } from 'node:fs'
import { beforeAll, describe, expect, it } from 'vitest'
import { installPackages } from '../installation.ts'
import { FOLDER, inTank, underNode } from './runs.ts'

/** What runs by default: every kind of I/O once. */
const REPRESENTATIVE = [
  'axios.mjs',
  'execa.mjs',
  'express.mjs',
  'fastify.mjs',
  'grpc.mjs',
  'ioredis.mjs',
  'mqtt.mjs',
  'nedb.mjs',
  'piscina.mjs',
  'socket.io.mjs',
  'undici.mjs',
  'ws.mjs',
]

const all = readdirSync(`${FOLDER}/programs`).sort()
const full = process.env['WAVETANK_FULL'] === '1'
const programs = full ? all : REPRESENTATIVE
const installed = installPackages(FOLDER)

describe.skipIf(!installed)('a program made of npm packages', () => {
  beforeAll(() => {
    if (!full)
      console.log(`test/packages: ${programs.length} of ${all.length} programs; all with WAVETANK_FULL=1`)
  })

  it.each(programs)(
    '%s does in the tank what it does under plain Node, twice the same',
    async (program) => {
      const plain = await underNode(program)
      expect(plain).toEqual({ stdout: expect.stringMatching(/./), stderr: expect.any(String), code: 0 })
      const { hash, ...first } = await inTank(program)
      expect(first).toEqual(plain)
      expect(await inTank(program)).toEqual({ ...first, hash })
    },
    180_000,
  )

  it('has another hash under another seed', async () => {
    const hash = (seed: number) => inTank('nedb.mjs', seed).then((run) => run.hash)
    expect(await hash(2)).not.toBe(await hash(1))
  })
})
