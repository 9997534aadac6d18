import { originalPositionFor, TraceMap } from '@jridgewell/trace-mapping'
import { afterAll, describe, expect, it } from 'vitest'
import { exploreClosure } from '../search/closure.ts'
import { RaceFolder } from '../search/race-folder.test-support.ts'
import { everyAwaitTransform } from './every-await.ts'

const rewritten = (source: string, files: true | readonly string[] = true, path = '/app/src/bank.ts') =>
  everyAwaitTransform(files)!.apply(source, path)

describe('everyAwait', () => {
  it('wraps what is awaited, and nothing else', () => {
    const { code } = rewritten('const f = async (a) => { await a; return [await b(await c), 1] }')!
    const hook = 'globalThis.__wavetankAwait'
    expect(code).toBe(
      `const f = async (a) => { await ${hook}((a)); return [await ${hook}((b(await ${hook}((c))))), 1] }`,
    )
    expect(rewritten('for await (const x of y) x()')).toBeUndefined()
    expect(rewritten('const text = "await x"')).toBeUndefined()
  })

  it('keeps lines and maps columns', () => {
    const source = 'const one = 1\nconst two = await load(one), three = one\n'
    const { code, map } = rewritten(source)!
    expect(code.split('\n').length).toBe(source.split('\n').length)
    const column = code.split('\n')[1].indexOf('three')
    const original = originalPositionFor(new TraceMap(map!), { line: 2, column })
    expect(original).toMatchObject({ line: 2, column: source.split('\n')[1].indexOf('three') })
  })

  it('leaves other files alone', () => {
    const source = 'await x'
    expect(rewritten(source, true, '/app/node_modules/pool/index.js')).toBeUndefined()
    expect(rewritten(source, ['node_modules/pool'], '/app/node_modules/pool/index.js')).toBeDefined()
    expect(rewritten(source, ['src/bank.ts'])).toBeDefined()
    expect(rewritten(source, ['bank'])).toBeUndefined()
    expect(everyAwaitTransform(false)).toBeUndefined()
  })

  it('refuses a path that says nothing, and a closure', async () => {
    expect(() => everyAwaitTransform([''])).toThrow(/expected true or paths/)
    await expect(async () => exploreClosure(() => {}, { everyAwait: true })).rejects.toThrow(/loaded already/)
  })
})

/** A stand-in for a store, as tests have them: its awaits wait for nothing. */
const BANK = `export class InMemoryBank {
  private savings = 100
  private checking = 0

  async transfer(amount: number): Promise<void> {
    this.savings -= amount
    await this.audit()
    this.checking += amount
  }

  async total(): Promise<number> {
    await this.audit()
    await this.audit()
    return this.savings + this.checking
  }

  private async audit(): Promise<void> {}
}
`

const RACES = `import { race } from 'wavetank/vitest'
import { InMemoryBank } from './in-memory-bank.ts'

race('the total is always the same', async (t) => {
  const bank = new InMemoryBank()
  const [, total] = await Promise.all([
    t.task('transfer', () => bank.transfer(10)),
    t.task('total', () => bank.total()),
  ])
  t.assert(total === 100, 'money was on its way')
})

race('the total after a transfer is the same', async (t) => {
  const bank = new InMemoryBank()
  await bank.transfer(10)
  t.assert((await bank.total()) === 100, 'money was on its way')
})
`

describe('a race in memory', () => {
  const folder = new RaceFolder({ 'in-memory-bank.ts': BANK, 'bank.race.ts': RACES })
  afterAll(() => folder.remove())

  it('is not found while awaits are what they are', async () => {
    const { iterations } = await folder.hold('bank.race.ts', 'the total is always the same', {
      iterations: 30,
    })
    expect(iterations).toBe(30)
  })

  it('is found when the awaits of its file are scheduling points', async () => {
    const { failure, schedule } = await folder.find('bank.race.ts', 'the total is always the same', {
      iterations: 30,
      everyAwait: ['in-memory-bank.ts'],
    })
    expect(failure.message).toBe('money was on its way')
    const positions = schedule.map(({ position }) => position ?? '')
    expect(positions.some((position) => /in-memory-bank\.ts:\d+:\d+$/.test(position))).toBe(true)
  })

  it('is not found in a body without one', async () => {
    const { iterations } = await folder.hold('bank.race.ts', 'the total after a transfer is the same', {
      iterations: 30,
      everyAwait: true,
    })
    expect(iterations).toBe(30)
  })
})
