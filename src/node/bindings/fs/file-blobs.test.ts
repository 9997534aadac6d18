import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { runOne, runPrograms } from '../../process/programs.test-support.ts'

describe('a file as a blob', () => {
  it('has the bytes of the simulated file, in parts and in other blobs', async () => {
    const { stdout } = await runOne(async ({ require, process, globalThis: { Blob } }) => {
      const fs = require('fs')
      fs.writeFileSync('/tmp/file', 'hello world')
      const blob = await fs.openAsBlob('/tmp/file', { type: 'text/plain' })
      const parts = [blob.size, blob.type, await blob.text(), await blob.slice(6, 11).text()]
      parts.push(await new Blob(['<', blob, '>']).text())
      for await (const chunk of blob.stream()) parts.push(Buffer.from(chunk).toString())
      process.stdout.write(JSON.stringify(parts))
    })
    expect(JSON.parse(stdout)).toEqual([
      11,
      'text/plain',
      'hello world',
      'world',
      '<hello world>',
      'hello world',
    ])
  })

  it('cannot be read when the file has changed', async () => {
    const { stdout } = await runOne(async ({ require, process }) => {
      const fs = require('fs')
      fs.writeFileSync('/tmp/file', 'hello')
      const blob = await fs.openAsBlob('/tmp/file')
      fs.writeFileSync('/tmp/file', 'goodbye')
      process.stdout.write(await blob.text().catch((error: Error) => error.name))
    })
    expect(stdout).toBe('NotReadableError')
  })

  it('is never one of the real disk', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'wavetank-'))
    const file = join(folder, 'real')
    writeFileSync(file, 'real')
    const { stdout } = await runPrograms({
      main: ({ require, process }) => {
        try {
          require('fs').openAsBlob(file)
        } catch (error: any) {
          process.stdout.write(`${error.code} ${error.message}`)
        }
      },
    })
    rmSync(folder, { recursive: true })
    expect(stdout.main).toBe('ERR_INVALID_ARG_VALUE Unable to open file as blob')
  })
})
