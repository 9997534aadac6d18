import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { runCommand, type CommandOutcome } from './command.ts'

const folder = mkdtempSync(join(tmpdir(), 'wavetank-command-'))
const logFile = join(folder, 'run.log')
afterAll(() => rmSync(folder, { recursive: true, force: true }))

function node(code: string): Promise<CommandOutcome> {
  return runCommand({
    command: [process.execPath, '--eval', code],
    cwd: folder,
    env: {},
    logFile,
    timeoutMs: 30_000,
  })
}

describe('what a command says last', () => {
  it('is the error that ended it, though Node prints more after it', async () => {
    const { code, last } = await node(
      "console.log('seed 7'); const e = new RangeError('too far'); e.at = 3; throw e",
    )
    expect([code, last]).toEqual([1, 'RangeError: too far'])
  })

  it('is its last three lines, if it names no error', async () => {
    const { last } = await node(
      "for (const n of [1, 2, 3, 4]) console.log('line', n, '\\n'); process.exit(3)",
    )
    expect(last.replaceAll(' ', '')).toBe('line2/line3/line4')
  })

  it('is its own, not that of the run before, whose output stays in the log', async () => {
    expect(await node('')).toMatchObject({ code: 0, last: '' })
    expect(readFileSync(logFile, 'utf8')).toContain('RangeError: too far')
  })
})
