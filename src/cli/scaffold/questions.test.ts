/** The questions, with a terminal of two streams: keys go in, and what a person would see comes out. */
import { PassThrough, Writable } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { programOf } from '../../scaffold/found-program.ts'
import { Questions, questionsFor } from './questions.ts'

const DOWN = '\u001b[B'
const ENTER = '\r'
const CTRL_C = '\u0003'

/** Asks a question and types an answer. */
async function typed<T>(
  ask: (questions: Questions) => Promise<T>,
  keys: readonly string[],
): Promise<[T, string]> {
  const input = new PassThrough()
  let shown = ''
  const output = new Writable({
    write(chunk, _, done) {
      shown += String(chunk)
      done()
    },
  })
  const answer = ask(new Questions({ input, output }))
  answer.catch(() => {})
  for (const key of keys) {
    await new Promise((resolve) => setTimeout(resolve, 20)) // a key is a chunk of its own
    input.write(key)
  }
  return [await answer, shown]
}

const PROGRAMS = [programOf('web.js', 'compose.yaml'), programOf('kv.js', 'compose.yaml')]

describe('questions', () => {
  it('names the programs, and takes the one that is chosen', async () => {
    const [program, shown] = await typed((questions) => questions.program(PROGRAMS), [DOWN, ENTER])
    expect(program.entry).toBe('kv.js')
    expect(shown).toContain('web: web.js')
  })

  it('says what each model expects of the program', async () => {
    const [model, shown] = await typed((questions) => questions.model(null), [DOWN, ENTER])
    expect(model).toBe('register')
    expect(shown).toContain('PUT /KEY sets it')
  })

  it('proposes a register where the program serves keyed values', async () => {
    const [model, shown] = await typed(
      (questions) => questions.model({ path: '/todos', json: true }),
      [ENTER],
    )
    expect(model).toBe('register')
    expect(shown).toContain('register (GET /todos/KEY answers')
  })

  it('takes the port that it proposes, and asks again for what is none', async () => {
    expect((await typed((questions) => questions.port(), [ENTER]))[0]).toBe(8080)
    const [port, shown] = await typed((questions) => questions.port(), ['0', ENTER, '\u007f', ENTER])
    expect(shown).toContain('a number of 1 to 65535')
    expect(port).toBe(8080)
  })

  it('ends with nothing written at Ctrl-C', async () => {
    await expect(typed((questions) => questions.model(null), [CTRL_C])).rejects.toThrow(/nothing was written/)
  })

  it('are not asked where no person can answer', () => {
    expect(questionsFor({})).toBe(null) // tests have no terminal
    expect(questionsFor({ yes: true })).toBe(null)
  })
})
