import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { Outputs } from './outputs.ts'

let folder: string
let outputs: Outputs
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'wavetank-outputs-'))
  outputs = new Outputs()
})
afterEach(() => {
  outputs.close()
  rmSync(folder, { recursive: true })
})

/** The path of a new file with this text. */
function file(name: string, text: string): string {
  const path = join(folder, name)
  writeFileSync(path, text)
  return path
}

describe('what nodes print', () => {
  it('is given once, in order, when a line causes another look while the node goes on writing', () => {
    const path = file('stdout', 'one\ntwo\nthr')
    const lines: string[] = []
    outputs.follow('n1', path, (line) => {
      if (line === 'one') appendFileSync(path, 'ee\nfour\n')
      outputs.drain()
      lines.push(line)
    })
    outputs.drain()
    expect(lines).toEqual(['one', 'two', 'three', 'four'])
  })

  it('is given file by file, also when a line causes another look', () => {
    const lines: string[] = []
    const take = (line: string): void => {
      outputs.drain()
      lines.push(line)
    }
    outputs.follow('n1', file('stdout', 'a\nb\n'), take)
    outputs.follow('n1', file('reports', 'c\n'), take)
    outputs.drain()
    expect(lines).toEqual(['a', 'b', 'c'])
  })

  it('is never given before what the node has written into an earlier file before it, while it goes on writing', () => {
    const lines: string[] = []
    const [reports, stdout] = [file('reports', 'event 1\n'), file('stdout', 'line 1\n')]
    outputs.follow('n1', reports, (line) => {
      lines.push(line)
      if (line !== 'event 1') return
      // The reports have been read by now, and the output has not.
      appendFileSync(reports, 'event 2\n')
      appendFileSync(stdout, 'line 2\n')
    })
    outputs.follow('n1', stdout, (line) => lines.push(line))
    outputs.drain()
    outputs.drain()
    expect(lines).toEqual(['event 1', 'line 1', 'event 2', 'line 2'])
  })

  it('is given as far as a report says that it was printed before', () => {
    const lines: string[] = []
    const printed = 'one\ntwo\n'
    outputs.follow('n1', file('reports', `${printed.length}\n`), (line) => {
      stdout.drain(Number(line))
      lines.push('report')
    })
    const stdout = outputs.follow('n1', file('stdout', `${printed}three\n`), (line) => lines.push(line))
    outputs.drain()
    expect(lines).toEqual(['one', 'two', 'report', 'three'])
  })

  it('is not given again when a line could not be taken', () => {
    const lines: string[] = []
    outputs.follow('n1', file('stdout', 'bad\ngood\n'), (line) => {
      if (line === 'bad') throw new Error('no')
      lines.push(line)
    })
    expect(() => outputs.drain()).toThrow('no')
    appendFileSync(join(folder, 'stdout'), 'better\n')
    outputs.drain()
    expect(lines).toEqual(['good', 'better'])
  })

  it('never joins what a killed process left of a line, or of a character, to what the next one prints', () => {
    const path = file('stdout', 'whole\nto')
    const lines: string[] = []
    outputs.follow('n1', path, (line) => lines.push(line))
    outputs.drain()
    appendFileSync(path, Buffer.from('rn ü').subarray(0, 4))
    outputs.end('n1', false)
    appendFileSync(path, 'next\n')
    outputs.drain()
    expect(lines).toEqual(['whole', 'next'])
  })

  it('is a line without a newline too when a process ends by itself; those of other nodes go on', () => {
    const lines: string[] = []
    const path = file('stdout1', 'last words')
    const other = file('stdout2', 'half ')
    outputs.follow('n1', path, (line) => lines.push(line))
    outputs.follow('n2', other, (line) => lines.push(line))
    outputs.end('n1', true)
    appendFileSync(path, 'first words\n')
    appendFileSync(other, 'and half\n')
    outputs.drain()
    expect(lines).toEqual(['last words', 'first words', 'half and half'])
  })
})
