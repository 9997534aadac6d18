import { describe, expect, it } from 'vitest'
import { Choices } from '../../kernel/choices.ts'
import { LineSplitter } from '../authoring/line-splitter.ts'
import { drawTopology } from './topology.ts'

describe('a topology', () => {
  it('names one process after its group and several by number', () => {
    const { placements, hosts } = drawTopology(new Choices({ seed: 1 }), {
      kv: { entry: 'a.js' },
      node: { entry: 'b.js', count: 3 },
    })
    expect(placements.map(({ identity }) => identity.name)).toEqual(['kv', 'node1', 'node2', 'node3'])
    expect(hosts).toEqual({ kv: ['kv'], node: ['node1', 'node2', 'node3'] })
    expect(placements[2].identity.peers).toEqual(['node1', 'node3'])
  })

  it('draws counts within their range, the least for choices of zero', () => {
    const count = (seed: number, base: 'seed' | 'zero'): number => {
      return drawTopology(new Choices({ seed, base }), { n: { entry: 'a.js', count: [3, 5] } }).placements
        .length
    }
    const drawn = Array.from({ length: 50 }, (_, seed) => count(seed, 'seed'))
    expect([...new Set(drawn)].sort((a, b) => a - b)).toEqual([3, 4, 5])
    expect(count(1, 'zero')).toBe(3)
  })

  it('puts processes of one machine on one host', () => {
    const { placements, hostNames } = drawTopology(new Choices({ seed: 1 }), {
      worker: { entry: 'a.js', count: 4, locality: ({ index }) => ({ machine: `m${index % 2}`, zone: 'z' }) },
    })
    expect(placements.map(({ identity }) => identity.host)).toEqual(['m0', 'm1', 'm0', 'm1'])
    expect(hostNames).toEqual([
      { name: 'm0', locality: { machine: 'm0', zone: 'z' } },
      { name: 'm1', locality: { machine: 'm1', zone: 'z' } },
    ])
  })
})

describe('output', () => {
  it('is split into lines whatever the chunks, also in the middle of a character', () => {
    const lines: string[] = []
    const splitter = new LineSplitter((text) => lines.push(text))
    const bytes = Buffer.from('grün\nzwei\nrest')
    for (const byte of bytes) splitter.write(Uint8Array.of(byte))
    expect(lines).toEqual(['grün', 'zwei'])
    splitter.end()
    expect(lines).toEqual(['grün', 'zwei', 'rest'])
  })
})
