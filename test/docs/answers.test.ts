/**
 * The commands of docs/checkers.md, with what they print: every block that begins with `$ wavetank` is run on the
 * histories below, and must give the page's text.
 */
import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { buildOnce } from '../e2e/build.ts'
import { Project } from '../e2e/project.ts'

const PAGE = readFileSync(new URL('../../docs/checkers.md', import.meta.url), 'utf8')

/** The histories that the page asks about. */
const HISTORIES = {
  'register.jsonl': `{"type":"invoke","process":0,"f":"write","value":1}
    {"type":"ok","process":0,"f":"write","value":1}
    {"type":"invoke","process":0,"f":"write","value":2}
    {"type":"info","process":0,"f":"write","value":2}
    {"type":"invoke","process":1,"f":"read","value":null}
    {"type":"ok","process":1,"f":"read","value":2}
    {"type":"invoke","process":2,"f":"read","value":null}
    {"type":"ok","process":2,"f":"read","value":1}`,
  'skew.jsonl': `{"type":"invoke","process":0,"f":"txn","value":[["r","x",null],["append","y",1]]}
    {"type":"invoke","process":1,"f":"txn","value":[["r","y",null],["append","x",1]]}
    {"type":"ok","process":0,"f":"txn","value":[["r","x",[]],["append","y",1]]}
    {"type":"ok","process":1,"f":"txn","value":[["r","y",[]],["append","x",1]]}`,
}

/** Commands with their answers: a block may have several. */
function dialogues(): { readonly command: string; readonly answer: string }[] {
  const blocks = [...PAGE.matchAll(/^```sh\n(\$ wavetank [\s\S]*?)^```$/gm)]
  return blocks.flatMap(([, block]) =>
    block
      .split(/^\$ wavetank /m)
      .filter((part) => part !== '')
      .map((part) => {
        const end = part.indexOf('\n')
        return { command: part.slice(0, end), answer: part.slice(end + 1) }
      }),
  )
}

beforeAll(buildOnce, 240_000)

describe('docs/checkers.md', () => {
  const project = new Project(
    Object.fromEntries(Object.entries(HISTORIES).map(([name, text]) => [name, text.replaceAll(/^ +/gm, '')])),
  )
  afterAll(() => project.remove())

  it('shows commands', () => {
    expect(dialogues().length).toBeGreaterThan(3)
  })

  it.each(dialogues())('$command answers as written', async ({ command, answer }) => {
    const { stdout, stderr } = await project.wavetank(...command.split(' '))
    expect(`${stdout}${stderr}`).toBe(answer)
  })
})
