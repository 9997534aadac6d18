/** Runs every race of shapes.race.ts: those called "broken" must be found, the others must hold. */
import { readFileSync } from 'node:fs'
import * as vitest from 'vitest'
import * as adapter from 'wavetank/vitest'
import { exploreFile } from '../../src/explore/search/race-file.ts'
import { runnerStandIn } from '../../src/runners/runner-stand-in.ts'
import { HOST_MODULES } from '../../src/host/host-modules.ts'
import { projectImage } from '../../src/node/project-image.ts'

const { describe, expect, it } = vitest
const ROOT = new URL('../..', import.meta.url).pathname.replace(/\/$/, '')
const FILE = `${ROOT}/examples/races/shapes.race.ts`
const TITLES = [...readFileSync(FILE, 'utf8').matchAll(/race\('([^']+)'/g)].map((match) => match[1])

/** Code without its layout: prettier lays out a part differently from the whole. */
function words(code: string): string {
  return code.replace(/\s+/g, ' ').trim()
}

describe('the shapes of races', () => {
  it('are in the documentation as they are here', () => {
    const [, page] = readFileSync(`${ROOT}/docs/exploration.md`, 'utf8').split('## The shapes of races')
    const snippets = [...page.matchAll(/```ts\n([^]*?)```/g)].map(([, code]) => words(code))
    expect(snippets.length).toBe(4)
    const source = words(readFileSync(FILE, 'utf8'))
    for (const snippet of snippets) expect(source).toContain(snippet)
  })

  it.each(TITLES)('%s', async (title) => {
    const { kind } = await exploreFile(
      FILE,
      title,
      { iterations: 100 },
      {
        image: [{ at: ROOT, from: ROOT, reader: projectImage() }],
        hostModules: { ...HOST_MODULES, vitest: runnerStandIn(vitest), 'wavetank/vitest': adapter },
      },
    )
    expect(kind).toBe(title.startsWith('broken') ? 'found' : 'held')
  })
})
