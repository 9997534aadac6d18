import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { evaluateModule } from './evaluate-module.ts'

describe('a file of the user', () => {
  let folder = ''
  const files = (): string[] => readdirSync(folder).toSorted()

  beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'wavetank-evaluated-'))))
  afterEach(() => rmSync(folder, { recursive: true, force: true }))

  it('is loaded with packages of its own folder, and nothing stays beside it', async () => {
    mkdirSync(join(folder, 'node_modules/own'), { recursive: true })
    writeFileSync(
      join(folder, 'node_modules/own/package.json'),
      '{ "type": "module", "exports": "./own.js" }',
    )
    writeFileSync(join(folder, 'node_modules/own/own.js'), 'export const n = 7')
    writeFileSync(join(folder, 'a.ts'), "import { n } from 'own'\nexport const twice: number = 2 * n")
    expect(await evaluateModule(join(folder, 'a.ts'), 'ERR_X')).toMatchObject({ twice: 14 })
    expect(files()).toEqual(['a.ts', 'node_modules'])
  })

  it('finds the bundle of a killed process removed, and that of a running one kept', async () => {
    const killed = spawn(process.execPath, ['--eval', 'setInterval(() => {}, 1000)'])
    const ofKilled = `.wavetank-module-${killed.pid}-abc123`
    const ofRunning = `.wavetank-module-${process.pid}-abc123`
    for (const name of [ofKilled, ofRunning]) mkdirSync(join(folder, name))
    writeFileSync(join(folder, ofKilled, 'module.mjs'), '')
    writeFileSync(join(folder, 'a.ts'), 'export const one = 1')
    await evaluateModule(join(folder, 'a.ts'), 'ERR_X')
    expect(files()).toEqual([ofKilled, ofRunning, 'a.ts'].toSorted())
    killed.kill('SIGKILL')
    await once(killed, 'exit')
    await evaluateModule(join(folder, 'a.ts'), 'ERR_X')
    expect(files()).toEqual([ofRunning, 'a.ts'])
  })

  it('is an error with its path when it throws, and nothing stays beside it', async () => {
    writeFileSync(join(folder, 'a.ts'), "throw new Error('not today')")
    await expect(evaluateModule(join(folder, 'a.ts'), 'ERR_X')).rejects.toMatchObject({
      code: 'ERR_X',
      message: expect.stringMatching(/a\.ts cannot be loaded: not today/) as string,
    })
    expect(files()).toEqual(['a.ts'])
  })
})
