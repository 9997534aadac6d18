/**
 * `--memory` and `--timeout` hold for the whole command. Memory is measured from outside: the most that a child process
 * had resident. Each limit stands beside the same question without it, which is decided and takes more.
 */
import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { bundledCommand } from './bundled-command.test-support.ts'

const { folder, program } = bundledCommand()

const TRANSACTIONS = 80_000
const KEYS = 1000

/** Ten clients in turn: each transaction reads one key and writes another, one after the other. */
function* lines(writes: 'w' | 'append'): Generator<string> {
  const state: number[][] = Array.from({ length: KEYS }, () => [])
  for (let i = 0; i < TRANSACTIONS; i++) {
    const read = (i * 7) % KEYS
    const written = (i * 11) % KEYS
    const seen = writes === 'append' ? state[read].slice() : (state[read].at(-1) ?? null)
    state[written].push(i)
    const process = i % 10
    const asked = [
      ['r', read, null],
      [writes, written, i],
    ]
    const saw = [
      ['r', read, seen],
      [writes, written, i],
    ]
    yield JSON.stringify({ type: 'invoke', process, f: 'txn', value: asked })
    yield JSON.stringify({ type: 'ok', process, f: 'txn', value: saw })
  }
}

const registers = join(folder, 'registers.jsonl')
writeFileSync(registers, [...lines('w')].join('\n') + '\n')
const lists = join(folder, 'lists.json')
writeFileSync(lists, `[${[...lines('append')].join(',\n')}]\n`)

const PRINT_MEMORY = 'process.on("exit", () => process._rawDebug(process.resourceUsage().maxRSS))'

function check(...args: readonly string[]): { code: number | null; out: string; mostMb: number } {
  const watched = ['--import', `data:text/javascript,${encodeURIComponent(PRINT_MEMORY)}`, program, 'check']
  const { status, stdout, stderr } = spawnSync(process.execPath, [...watched, ...args], { encoding: 'utf8' })
  const [printed] = /\d+\s*$/.exec(stderr) ?? []
  if (printed === undefined) throw new Error(`the child did not say how much memory it had: ${stderr}`)
  return { code: status, out: stdout, mostMb: Number(printed) / 1024 }
}

/** What a process may have above its limit: between two looks, and while V8 collects. */
const MARGIN = 1.2

/** Version orders by real time take more memory than the history. */
const REAL_TIME = ['--workload', 'rw-register', '--options', '{"linearizableKeys":true,"wfrKeys":true}']
const APPENDS = ['--workload', 'list-append']

describe('--memory', () => {
  it.each([
    ['a check', [registers, ...REAL_TIME], 160, /80,000 operations.*memory limit of 160 MB/s],
    ['reading lines', [registers, ...REAL_TIME], 110, /not read to its end.*memory limit of 110 MB/s],
    ['reading a text as a whole', [lists, ...APPENDS], 150, /not read to its end.*memory limit of 150 MB/s],
  ])('ends %s before the process takes more, and says so', (_, asked, limitMb, said) => {
    const limited = check(...asked, '--memory', String(limitMb))
    expect(limited).toMatchObject({ code: 2, out: expect.stringMatching(said) as string })
    expect(limited.mostMb).toBeLessThan(limitMb * MARGIN)

    const free = check(...asked)
    expect(free.code).toBe(0)
    expect(free.mostMb).toBeGreaterThan(limitMb * MARGIN)
  })
})

describe('--timeout', () => {
  it('counts the time of reading', () => {
    const { code, out } = check(registers, '--workload', 'rw-register', '--timeout', '1ms')
    expect(code).toBe(2)
    expect(out).toContain('the time limit of 1 ms was reached while the history was read')
  })

  it('is one limit for several questions', () => {
    const { code, out } = check(
      registers,
      '--workload',
      'stats,rw-register,set',
      '--timeout',
      '1ms',
      '--json',
    )
    expect(code).toBe(2)
    expect(JSON.parse(out)).toMatchObject({ verdict: 'unknown', operations: 0 })
  })
})
