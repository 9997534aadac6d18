import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { OutputTail } from './output-tail.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'wavetank-tail-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

describe('a followed file', () => {
  it('gives each line once, in order, when a line causes another look while the node goes on writing', () => {
    const path = join(folder, 'stdout')
    writeFileSync(path, 'one\ntwo\nthr')
    const lines: string[] = []
    const tail = new OutputTail(path, (line) => {
      if (line === 'one') appendFileSync(path, 'ee\nfour\n')
      tail.drain()
      lines.push(line)
    })
    tail.drain()
    expect(lines).toEqual(['one', 'two', 'three', 'four'])
    tail.close()
  })
})
