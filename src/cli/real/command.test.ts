/** What `wavetank real` answers without a cluster. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { run } from './command.ts'

const folder = mkdtempSync(join(tmpdir(), 'wavetank-real-command-'))
afterAll(() => rmSync(folder, { recursive: true }))

describe('wavetank real nemeses', () => {
  it('writes its answer to a file', async () => {
    const file = join(folder, 'nemeses.json')
    expect(await run(['nemeses', '--json', '-o', file])).toBe(0)
    const names = (JSON.parse(readFileSync(file, 'utf8')) as { name: string }[]).map(({ name }) => name)
    expect(names).toContain('kill')
  })

  it('refuses a file that cannot be written, before anything runs', async () => {
    await expect(run(['test', 'any', '-o', join(folder, 'none', 'a.json')])).rejects.toMatchObject({
      code: 'ERR_WAVETANK_OUTPUT',
    })
  })
})
