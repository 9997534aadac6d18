import { readFileSync } from 'node:fs'
import { describe, expect, it, vi } from 'vitest'
import { CONSISTENCY, entryNamed, MODELS, WORKLOADS } from '../../checkers/catalogue.ts'
import { FAMILIES } from '../../faults/families.ts'
import { CATALOGUES } from '../../plan/catalog/index.ts'
import { NEMESES } from '../../plan/catalog/nemeses.ts'
import { CHECKER_PICKER, ORACLE_PATTERNS, pickPatterns } from '../../plan/catalog/oracle-patterns.ts'
import { PITFALLS } from '../../plan/catalog/pitfalls.ts'
import { RED_FLAGS, redFlagsIn } from '../../plan/catalog/red-flags.ts'
import { BUG_TYPES } from '../../plan/catalog/taxdc.ts'
import { TECHNIQUES } from '../../plan/catalog/techniques.ts'
import { catalogueMarkdown } from '../../report/catalogue-text.ts'
import { run } from './catalog.ts'

async function output(...args: string[]): Promise<string> {
  let text = ''
  const write = vi
    .spyOn(process.stdout, 'write')
    .mockImplementation((chunk) => ((text += String(chunk)), true))
  try {
    expect(await run(args)).toBe(0)
  } finally {
    write.mockRestore()
  }
  return text
}

describe('the catalogues', () => {
  it('are as large as they say', () => {
    const sizes = Object.fromEntries(CATALOGUES.map(({ kind, entries }) => [kind, entries.length]))
    expect(sizes).toMatchObject({
      'claim-categories': 11,
      techniques: 8,
      pitfalls: 16,
      nemeses: 33 + 1, // and the scheduler, which is ours
      'oracle-patterns': 14,
      'confusable-identifiers': 9,
      verdicts: 10,
      'green-but-broken': 10,
      'weak-oracle': 11,
      taxdc: 8,
    })
  })

  it.each(CATALOGUES)('of $kind has unique ids, and a text and references for each', ({ entries }) => {
    expect(new Set(entries.map(({ id }) => id)).size).toBe(entries.length)
    for (const { id, text, references } of entries) {
      expect(id).toMatch(/^[A-Za-z0-9_-]+$/)
      expect(text).toMatch(/\.$/)
      expect(references.length).toBeGreaterThan(0)
    }
  })

  it('are in docs/catalog.md as they are here', () => {
    const page = readFileSync(new URL('../../../docs/catalog.md', import.meta.url), 'utf8')
    expect(page, 'run: npx wavetank catalog --markdown > docs/catalog.md').toBe(catalogueMarkdown(CATALOGUES))
  })

  it('name only fault families that exist, and every family at least once', () => {
    const named = new Set(
      [
        ...NEMESES.flatMap(({ families, related }) => [...families, ...related]),
        ...BUG_TYPES.flatMap(({ families }) => families),
      ].map((name) => name.split('/')[0]),
    )
    const known = FAMILIES.map(({ name }) => name as string)
    expect([...named].filter((name) => !known.includes(name))).toEqual([])
    expect(known.filter((name) => !named.has(name))).toEqual([])
  })

  it('name only checkers that `wavetank check` knows', () => {
    const unknown = ORACLE_PATTERNS.flatMap(({ checkers }) => checkers).filter((name) => {
      const [kind, rest] = name.split(':')
      if (rest === undefined) return entryNamed(WORKLOADS, name) === undefined
      return kind === 'model'
        ? entryNamed(MODELS, rest) === undefined
        : entryNamed(CONSISTENCY, rest) === undefined
    })
    expect(unknown).toEqual([])
  })

  it('link to each other only by ids that exist', () => {
    const techniques = TECHNIQUES.map(({ id }) => id)
    expect(PITFALLS.filter(({ technique }) => !techniques.includes(technique))).toEqual([])
    const patterns = ORACLE_PATTERNS.map(({ id }) => id)
    expect(CHECKER_PICKER.flatMap((pick) => pick.patterns).filter((id) => !patterns.includes(id))).toEqual([])
  })

  it('pick a checker for a model and a claim, the most specific first', () => {
    expect(pickPatterns('log', 'durability')).toEqual(['no-lost-ack', 'replay-equivalence'])
    expect(pickPatterns('queue', 'durability')).toEqual(['no-lost-ack'])
    expect(pickPatterns('queue', 'operational')).toEqual([])
  })

  it.each([
    ['logs look fine', 'logs-look-fine'],
    ['no errors in the logs', 'logs-look-fine'],
    ['behaves correctly after failover', 'looks-right'],
    ['check the dashboard', 'manual-inspection'],
    ['the server does not crash', 'no-crash'],
    ['replicas eventually agree', 'eventually-without-bound'],
    ['wait 5 seconds and read', 'sleep-then-check'],
    ['the injector reported success', 'injector-said-so'],
    ['rerun until it passes', 'retry-until-green'],
    ['answers in reasonable time', 'reasonable-time'],
    ['TODO', 'to-do'],
  ])('see the red flag in "%s"', (text, id) => {
    expect(redFlagsIn(text).map((flag) => flag.id)).toContain(id)
  })

  it('see no red flag in a sentence that decides', () => {
    expect(redFlagsIn('every acknowledged write is in the final read, within 5 s after healing')).toEqual([])
    expect(redFlagsIn('replicas are eventually equal within 10 s')).toEqual([])
    expect(RED_FLAGS.length).toBeGreaterThan(8)
  })
})

describe('wavetank catalog', () => {
  it('lists the kinds, a kind, an entry', async () => {
    expect(await output()).toContain('pitfalls')
    expect(await output('pitfalls')).toContain('lost-ack')
    const entry = await output('nemeses', 'power-loss')
    expect(entry).toContain('landing evidence: unsynced writes')
    expect(entry).toContain('in the tank: reboot/power-loss')
  })

  it('prints JSON', async () => {
    expect(JSON.parse(await output('verdicts', 'NOT-RUN', '--json'))).toMatchObject({ id: 'NOT-RUN' })
    expect(JSON.parse(await output('--json'))).toHaveLength(CATALOGUES.length)
  })

  it('refuses what does not exist, with what does', async () => {
    await expect(run(['pitfall'])).rejects.toThrow(
      /no kind "pitfall"; there are claim-categories, techniques, pitfalls/,
    )
    await expect(run(['pitfalls', 'x'])).rejects.toThrow(/no entry of pitfalls "x"; there are lost-update/)
  })
})
