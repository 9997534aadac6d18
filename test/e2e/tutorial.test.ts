/**
 * The tutorial, executed: every block with a file name is written into a project, every command is run in it and must
 * exit as the block says (`exit=1`, `exit=any`; 0 otherwise). A `text` block is an illustration.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { buildOnce } from './build.ts'
import { Project } from './project.ts'

const FOLDER = new URL('../../docs/tutorial/', import.meta.url)

interface Block {
  readonly kind: string
  readonly info: string
  readonly text: string
}

function blocksOf(markdown: string): Block[] {
  return [...markdown.matchAll(/^```(\w+) ?(.*)\n([\s\S]*?)^```$/gm)].map(([, kind, info, text]) => ({
    kind,
    info,
    text,
  }))
}

describe('the tutorial', () => {
  const project = new Project({})
  beforeAll(buildOnce, 120_000)
  afterAll(() => project.remove())

  const chapters = readdirSync(FOLDER)
    .filter((name) => name.endsWith('.md'))
    .sort()

  it('has four chapters', () => {
    expect(chapters).toHaveLength(4)
  })

  it.each(chapters)(
    '%s works as written',
    async (chapter) => {
      let done = 0
      for (const { kind, info, text } of blocksOf(readFileSync(new URL(chapter, FOLDER), 'utf8'))) {
        if (kind === 'text') continue
        done++
        if (kind !== 'sh') {
          project.write({ [info]: text })
          continue
        }
        const outcome = await project.wavetank(...text.trim().split(' ').slice(2))
        const expected = /exit=(\w+)/.exec(info)?.[1] ?? '0'
        const seen = expected === 'any' ? 'any' : String(outcome.code)
        expect(`${text}${seen}\n${seen === expected ? '' : outcome.stdout + outcome.stderr}`).toBe(
          `${text}${expected}\n`,
        )
      }
      expect(done).toBeGreaterThan(1)
    },
    300_000,
  )
})
