/**
 * The tank as the operating system sees it: an express server with files on its disk, and its clients, run without a
 * socket, without a file opened for writing, and without a file outside of the project.
 */
import { buildSync } from 'esbuild'
import { spawnSync } from 'node:child_process'
import { rmSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { installPackages } from '../installation.ts'
import { between, canTrace, escapes, trace } from './system-calls.ts'

const ROOT = resolve(import.meta.dirname, '../..')
const PACKAGES = join(ROOT, 'test/packages')
const PROGRAM = 'express-disk.mjs'
/**
 * Files that the C library and V8's locks read by themselves: the host's time zone, how memory is given out, who shares
 * it, and, when threads of V8 first wait for each other, how fast the processor counts.
 */
const BY_RUNTIME = [
  '/etc/localtime',
  '/proc/sys/vm/overcommit_memory',
  '/sys/devices/system/cpu/online',
  '/sys/devices/system/cpu/cpu0',
]
const READABLE = [ROOT, process.execPath, ...BY_RUNTIME]

const traceable = canTrace()
if (!traceable) console.warn('test/e2e/strace: SKIPPED, strace is not installed or may not trace here')

describe.skipIf(!traceable || !installPackages(PACKAGES))('under strace', () => {
  const tank = join(ROOT, `node_modules/.cache/wavetank/strace-tank-${process.pid}.mjs`)

  beforeAll(() => {
    buildSync({
      entryPoints: [join(PACKAGES, 'tank.ts')],
      outfile: tank,
      bundle: true,
      packages: 'external',
      platform: 'node',
      format: 'esm',
      target: 'node20',
      define: { 'import.meta.url': JSON.stringify(pathToFileURL(join(PACKAGES, 'tank.ts')).href) },
    })
  })
  afterAll(() => rmSync(tank, { force: true }))

  beforeAll(() => {
    // What a first run keeps for later ones is written by the tank, not by programs.
    rmSync(join(PACKAGES, 'node_modules/.cache/wavetank'), { recursive: true, force: true })
    const { status } = spawnSync(process.execPath, [tank, PROGRAM], { cwd: PACKAGES })
    if (status !== 0) throw new Error(`${PROGRAM} ended with ${status}`)
  }, 120_000)

  it('a program in the tank does not touch the real network, disk or processes', () => {
    const { stdout, code, calls } = trace([tank, PROGRAM], PACKAGES)
    expect({ stdout, code }).toEqual({ stdout: expect.stringContaining('closed'), code: 0 })
    expect(escapes(between(calls, 'wavetank: begin', 'wavetank: end'), READABLE)).toEqual([])
  }, 120_000)

  it('the same program under plain Node does', () => {
    const { stdout, calls } = trace([`programs/${PROGRAM}`], PACKAGES)
    expect(stdout).toContain('closed')
    const found = escapes(calls, READABLE).join('\n')
    for (const call of [/ socket\(/, / bind\(/, / mkdir\(/, / openat\(.*express-disk-.*O_WRONLY/])
      expect(found).toMatch(call)
  }, 120_000)
})
