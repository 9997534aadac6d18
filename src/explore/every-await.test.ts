import { originalPositionFor, TraceMap } from '@jridgewell/trace-mapping'
import { describe, expect, it } from 'vitest'
import { everyAwaitTransform } from './every-await.ts'
import { explore } from './explore.ts'

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
    await expect(async () => explore(() => {}, { everyAwait: true })).rejects.toThrow(/loaded already/)
  })
})
