import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { ISOLATION, MODELS, WORKLOADS } from '../../checkers/catalogue.ts'
import { bundledCommand } from './bundled-command.test-support.ts'

const { folder, program } = bundledCommand()

function wavetank(args: readonly string[], input = ''): { code: number | null; out: string; err: string } {
  const { status, stdout, stderr } = spawnSync(process.execPath, [program, ...args], {
    input,
    encoding: 'utf8',
  })
  return { code: status, out: stdout, err: stderr }
}

const GOOD = `{:process 0 :type :invoke :f :add :value 1}
{:process 0 :type :ok :f :add :value 1}
{:process 1 :type :invoke :f :read}
{:process 1 :type :ok :f :read :value [1]}
`
const LOST = GOOD.replace('[1]', '[]')
const STALE = `{:process 0 :type :invoke :f :write :value "<b>1</b>"}
{:process 0 :type :ok :f :write :value "<b>1</b>"}
{:process 1 :type :invoke :f :read}
{:process 1 :type :ok :f :read :value "<script>2</script>"}
`

describe('wavetank check', () => {
  it('answers 0 for a valid history, and says how it was read', () => {
    const { code, out } = wavetank(['check', '-', '--workload', 'set'], GOOD)
    expect(code).toBe(0)
    expect(out).toContain('standard input: 2 operations, read as jepsen-edn')
    expect(out).toContain('✓ valid set: 1 check over 2 operations')
  })

  it('answers 1 for an invalid history, with what proves it', () => {
    const { code, out } = wavetank(['check', '-', '--workload', 'set'], LOST)
    expect(code).toBe(1)
    expect(out).toContain(
      'lost 1 was acknowledged before the last read, which does not have it (operations 0, 1)',
    )
  })

  it('answers 2 for an unknown one, with the reason', () => {
    const { code, out } = wavetank(['check', '-', '--workload', 'unique-ids'], GOOD)
    expect(code).toBe(2)
    expect(out).toContain('? unknown unique-ids')
    expect(out).toContain('there was nothing to check')
  })

  it.each([
    [['check', '-'], 'It has the functions add, read: try --workload set-full, set, counter or pn-counter'],
    [
      ['check', '-', '--workload', 'set', '--model', 'set'],
      'give one of --workload, --isolation and --model',
    ],
    [['check', '-', '--workload', 'nope'], 'there is no workload "nope"; there are set,'],
    [['check', '-', '--model', '__proto__'], 'there is no model "__proto__"'],
    [['check', '/nowhere', '--workload', 'set'], '/nowhere does not exist'],
    [['check', folder, '--workload', 'set'], 'is a folder, and no history'],
    [['check', '-', '--workload', 'set', '--reporter', 'xml'], 'Allowed choices are text, html'],
    [['check', '-', '--workload', 'set', '--timeout', 'soon'], 'expected a duration such as 30s'],
    [['check', '-', '--workload', 'set', '--timeout', '0'], 'expected more than 0'],
    [['check', '-', '--workload', 'set', '--memory', '0'], 'expected a number above 0'],
    [['check', '-', '--workload', 'set', '--options', '{'], 'expected JSON: line 1, column 2'],
    [['check', '-', '--workload', 'set', '--options', '{"ad":"put"}'], 'did you mean "add"?'],
    [['check', '-', '--workload', 'set', '-o', '/nowhere/at/all'], '/nowhere/at/all cannot be written'],
    [['check', '-', '--workload', 'set', '-o', ''], 'expected the name of a file'],
    [['check', '-', '--workload', 'set', '--options', '{"memoryMb":5}'], 'say --memory'],
    [['check', '-', '--model', './nowhere.ts'], './nowhere.ts does not exist'],
    [['check', '-', '--model', 'set', '--options', '{"budget":{}}'], 'there is no option "budget"'],
    [['check', '-', '--workload', 'set', '--format', 'nope'], 'unknown format nope'],
    [['nope'], 'there is no command nope'],
  ])('answers 254 to %j', (args, message) => {
    const { code, err } = wavetank(args, GOOD)
    expect(code).toBe(254)
    expect(err).toContain(message)
  })

  it('answers 254 to a broken file, with line and column', () => {
    const { code, err } = wavetank(['check', '-', '--workload', 'set'], `${GOOD}{:type :ok :value [1}`)
    expect(code).toBe(254)
    expect(err).toMatch(/line 5, column \d+: expected/)
  })

  it('checks linearizability against a model', () => {
    const { code, out } = wavetank(['check', '-', '--model', 'register'], STALE)
    expect(code).toBe(1)
    expect(out).toContain('linearizable')
  })

  it('splits pairs of key and value with --partition tuple', () => {
    const text = GOOD.replaceAll(':value 1', ':value [:a 1]').replace(
      ':f :read}',
      ':f :read :value [:a nil]}',
    )
    const { code } = wavetank(
      ['check', '-', '--workload', 'set', '--partition', 'tuple'],
      text.replace('[1]', '[:a [1]]'),
    )
    expect(code).toBe(0)
  })

  it('asks several questions at once, and of each key when asked to', () => {
    const several = wavetank(['check', '-', '--workload', 'set,stats', '--json'], LOST)
    expect(JSON.parse(several.out)).toMatchObject({
      verdict: 'invalid',
      parts: [{ checker: 'set' }, { checker: 'stats' }],
    })
    const perKey = wavetank(['check', '-', '--workload', 'stats', '--partition', 'key', '--json'], LOST)
    expect(JSON.parse(perKey.out)).toMatchObject({ checker: 'per key', parts: [{ details: { key: null } }] })
  })

  it('passes options on to the checker', () => {
    const text = GOOD.replaceAll(':add', ':put')
    const options = JSON.stringify({ add: 'put' })
    expect(wavetank(['check', '-', '--workload', 'set', '--options', options], text).code).toBe(0)
  })

  it('reports JSON for machines', () => {
    const { out } = wavetank(['check', '-', '--workload', 'set', '--json'], LOST)
    expect(JSON.parse(out)).toMatchObject({
      version: 1,
      format: 'jepsen-edn',
      operations: 2,
      checker: 'set',
      verdict: 'invalid',
      anomalies: [{ type: 'lost', operations: [0, 1] }],
    })
  })

  it('reports numbers that JSON cannot hold', () => {
    const text = LOST.replaceAll(' 1}', ' 123456789012345678901234567890}')
    const json = wavetank(['check', '-', '--workload', 'set', '--json'], text)
    expect(JSON.parse(json.out)).toMatchObject({ details: { lost: ['123456789012345678901234567890'] } })
    expect(wavetank(['check', '-', '--workload', 'set', '--reporter', 'html'], text).code).toBe(1)
  })

  it('reports a page that opens from disk, runs nothing, and shows data as text', () => {
    const file = join(folder, 'history.edn')
    const page = join(folder, 'page.html')
    writeFileSync(file, STALE)
    wavetank(['check', file, '--model', 'register', '--reporter', 'html', '-o', page])
    const html = readFileSync(page, 'utf8')
    expect(html).toContain('invalid')
    expect(html).not.toMatch(/<script>2|<b>1|innerHTML/)
  })

  it('draws a cycle of transactions', () => {
    const text = `{:process 0 :type :invoke :f :txn :value [[:append :x 1] [:r :y nil]]}
{:process 1 :type :invoke :f :txn :value [[:append :y 1] [:r :x nil]]}
{:process 0 :type :ok :f :txn :value [[:append :x 1] [:r :y [1]]]}
{:process 1 :type :ok :f :txn :value [[:append :y 1] [:r :x [1]]]}
`
    const { code, out } = wavetank(['check', '-', '--workload', 'list-append', '--reporter', 'html'], text)
    expect(code).toBe(1)
    expect(out).toContain('class="cycle"')
    expect(out).toContain('T1 &#60; T2 (wr), because T2 read T1')
    const { out: summary } = wavetank(['check', '-', '--workload', 'list-append'], text)
    expect(summary).toMatch(/rules out read-committed, and with it .*serializable/)
  })

  it('asks weaker consistency models of an object', () => {
    const stale = ['write', 'read']
      .map(
        (f, process) =>
          `{:process ${process} :type :invoke :f :${f} :value 1}\n{:process ${process} :type :ok :f :${f} :value `,
      )
      .join('1}\n')
    const ask = (names: string) =>
      wavetank(
        ['check', '-', '--model', 'register', '--initial', '0', '--consistency-model', names],
        `${stale}0}\n`,
      )
    expect(ask('linearizable').code).toBe(1)
    expect(ask('sequential').code).toBe(0)
    expect(ask('causal,monotonic-reads,pram').code).toBe(0)
    expect(ask('serializable')).toMatchObject({ code: 254 })
  })

  it('lists every workload and model in its help, and each can be asked', async () => {
    const { code, out } = wavetank(['check', '--help'])
    expect(code).toBe(0)
    for (const { name, load } of [...WORKLOADS, ...ISOLATION, ...MODELS]) {
      expect(out).toContain(name)
      expect((await load()).function).toBeTypeOf('function')
    }
  })

  it('takes null for a value, and says so when it was asked to take it for anything', () => {
    const lost = ['write', 'read']
      .map((f) => `{:process 0 :type :invoke :f :${f} :value 1}\n{:process 0 :type :ok :f :${f} :value nil}`)
      .join('\n')
    expect(wavetank(['check', '-', '--model', 'register'], lost).code).toBe(1)
    const any = wavetank(['check', '-', '--model', 'register', '--null-reads', 'any'], lost)
    expect(any.code).toBe(0)
    expect(any.out).toContain('assumed: a read of null may have seen any value')
  })

  it('checks against a model of the user', () => {
    const file = join(folder, 'max-register.ts')
    writeFileSync(
      file,
      `const ILLEGAL = Symbol.for('wavetank.illegal')
      type Operation = { f: string; type: string; input: number; output: unknown }
      export default ({ initial = 0 }: { initial?: number }) => ({
        name: 'max-register',
        init: () => initial,
        step: (state: number, { f, type, input, output }: Operation) =>
          f === 'add' ? Math.max(state, input) : type === 'info' || output === state ? state : ILLEGAL,
      })`,
    )
    const text = GOOD.replace('[1]', '1')
    expect(wavetank(['check', '-', '--model', file], text)).toMatchObject({ code: 0 })
    expect(wavetank(['check', '-', '--model', file, '--initial', '7'], text)).toMatchObject({ code: 1 })
  })

  it('refuses a file that exports no model', () => {
    const file = join(folder, 'no-model.ts')
    writeFileSync(file, 'export default { name: 7 }')
    const { code, err } = wavetank(['check', '-', '--model', file], GOOD)
    expect(code).toBe(254)
    expect(err).toContain('expected a default export with name, init() and step(state, operation)')
  })

  it('blames a model of the user for what its step throws', () => {
    const file = join(folder, 'throwing.mjs')
    writeFileSync(file, "export default { name: 'x', init: () => 0, step: () => null.nothing }")
    const { code, err } = wavetank(['check', '-', '--model', file], GOOD)
    expect(code).toBe(254)
    expect(err).toMatch(/throwing.mjs: step\(0, operation 0, add, ok\) threw TypeError: Cannot read prop/)
    expect(err).not.toContain('    at ')
  })

  it.each([
    ['init: () => { throw new Error("no state") }, step: (s) => s', 'init() threw Error: no state'],
    ['init: () => 0, step: () => {}', 'step(0, operation 0, add, ok) returned undefined; it must return'],
    [
      'init: () => 0, step: (s) => s + 1, equal: () => { throw new Error("no") }, hash: () => 0',
      'equal(0, 1) threw Error: no',
    ],
  ])('blames a model with %s', (members, message) => {
    const file = join(folder, 'broken-model.mjs')
    writeFileSync(file, `export default { name: 'broken', ${members} }`)
    for (const condition of ['linearizable', 'sequential']) {
      const { code, err } = wavetank(['check', '-', '--model', file, '--consistency-model', condition], GOOD)
      expect([code, err]).toEqual([254, expect.stringContaining(message)])
      expect(err).not.toContain('    at ')
    }
  })

  it('does not write its answer over the history', () => {
    const file = join(folder, 'kept.edn')
    writeFileSync(file, GOOD)
    const { code, err } = wavetank(['check', file, '--workload', 'set', '-o', file])
    expect([code, err]).toEqual([254, expect.stringContaining('would overwrite the history')])
    expect(readFileSync(file, 'utf8')).toBe(GOOD)
  })

  it('sends no control character of a history to the terminal', () => {
    const text = LOST.replaceAll(' 1}', ' "\u001b]0;owned\u0007\u009b2J"}').replaceAll(':add', ':add\u009b')
    for (const args of [['--workload', 'set,stats'], ['--workload', 'set', '--json'], []]) {
      const { out, err } = wavetank(['check', '-', ...args, '--format', 'jepsen-edn'], text)
      expect(`${out}${err}`).not.toBe('')
      // eslint-disable-next-line no-control-regex -- the point
      expect(`${out}${err}`).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/)
    }
  })
})
