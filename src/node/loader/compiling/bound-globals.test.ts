import { describe, expect, it } from 'vitest'
import { mentionedGlobals } from './bound-globals.ts'

describe('the globals bound around a file', () => {
  it('are those it mentions, in a stable order', () => {
    expect(mentionedGlobals('setTimeout(() => process.exit(Date.now()), 1)')).toEqual([
      'Date',
      'process',
      'setTimeout',
    ])
    expect(mentionedGlobals('const x = 1')).toEqual([])
  })

  it('are whole words', () => {
    expect(mentionedGlobals('mySetTimeout(); processor; $Date; Date2; global_')).toEqual([])
  })

  it.each([
    'fetch = mock',
    'fetch ||= mock',
    'fetch ??= mock',
    'performance++',
    '--performance',
    'if (x) { setTimeout = fake }',
  ])('leave out a name that is assigned: %s', (source) => {
    expect(mentionedGlobals(source)).toEqual([])
  })

  it.each([
    ['globalThis.fetch = mock; fetch()', ['fetch', 'globalThis']],
    ['fetch === mock', ['fetch']],
    ['fetch => 1', ['fetch']],
    ['count++\nconsole.log(1)', ['console']],
    ['process.env.X = 1', ['process']],
  ])('keep a name that only looks assigned: %s', (source, expected) => {
    expect(mentionedGlobals(source)).toEqual(expected)
  })
})
