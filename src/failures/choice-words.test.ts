import { describe, expect, it } from 'vitest'
import type { Choice } from '../kernel/choices.ts'
import { choicesInWords } from './choice-words.ts'

const choice = (entity: string, label: string, index = 0): Choice => ({
  entity,
  label,
  index,
  n: 2,
  value: 1,
})

describe('choices in words', () => {
  it('count operations and faults, and name the rest', () => {
    expect(
      choicesInWords([
        choice('client 0 operation #1', 'due'),
        choice('client 0 operation #1', 'happens'),
        choice('client 1 operation #4', 'draw'),
        choice('nemesis reboot #10', 'strike'),
        choice('nemesis reboot #10', 'kind'),
        choice('disk store', 'name survival'),
        choice('disk store', 'page survival', 0),
        choice('disk store', 'page survival', 1),
      ]),
    ).toEqual(['when and what: 2 operations', '1 fault', 'disk store: name survival, page survival × 2'])
  })

  it('are no words if there are none', () => {
    expect(choicesInWords([])).toEqual([])
  })
})
