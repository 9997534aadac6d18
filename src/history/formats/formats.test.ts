import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { UsageError } from '../../kernel/errors.ts'
import { History } from '../history.ts'
import type { HistoryEvent } from '../operation.ts'
import { parseHistory } from '../read.ts'
import { printHistory } from '../write.ts'
import { detectFormat, FORMATS } from './index.ts'
import { HistorySyntaxError, MAX_TEXT } from './syntax-error.ts'

const FULL = process.env.WAVETANK_FULL === '1'

const SAMPLES: Record<string, string> = {
  wavetank: [
    '{"wavetank":"history","version":1}',
    '{"type":"invoke","id":0,"process":0,"f":"write","key":"x","value":1,"time":5,"node":null,"faultEpoch":0}',
    '{"type":"ok","id":0,"process":0,"f":"write","value":null,"error":null,"timedOut":false,"time":9,"node":"n1"}',
    '',
  ].join('\n'),
  'jepsen-edn': [
    '; a comment',
    '[{:type :invoke, :f :read, :value nil, :process 0, :time 1000 :index 0}',
    ' {:process :nemesis :type :info :f :start-partition :value "n1"}',
    ' #jepsen.history.Op{:type :ok, :f :read, :value #{1 2}, :process 0, :time 2000, :x #_"no" {:y [1N 2.5M 1/2 ##Inf]}}]',
  ].join('\n'),
  'jepsen-json':
    '[{"type":"invoke","f":"read","process":0,"value":null},\n{"type":"ok","f":"read","process":0,"value":3}]\n',
  'jepsen-jsonl':
    '{"index":0,"time":1000,"type":"invoke","process":0,"f":"read","value":null}\n{"index":1,"time":2000,"type":"ok","process":0,"f":"read","value":0}\n',
  'jepsen-log': 'INFO  jepsen.util - 0\t:invoke\t:cas\t[1 2]\nINFO  jepsen.util - 0\t:fail\t:cas\t[1 2]\n',
  awdit: 'w 1 1\nr 2 0\n-----\nr 1 1\n=====\nw 2 5\n',
  polysi: 'w(0,1,1,1)\nr(0,1,1,2)\nw(1,2,2,3)\n',
  'polysi-json': '{"s":0,"t":0,"ok":true,"ev":[["r",281,0],["w",188,1]]}\n{"s":1,"t":0,"ok":false,"ev":[]}\n',
  dbcop:
    '{"sessions":[[{"committed":true,"events":[["w","x",1]]}],[{"committed":false,"events":[["r","x",null]]}]]}',
}

describe('formats', () => {
  it.each(FORMATS.map((format) => [format.name]))('%s is detected by content', (name) => {
    expect(detectFormat(SAMPLES[name])?.name).toBe(name)
    expect(parseHistory(SAMPLES[name]).format).toBe(name)
  })

  it.each(FORMATS.map((format) => [format.name]))('%s written and read again is the same history', (name) => {
    const history = parseHistory(SAMPLES[name])
    const again = parseHistory([...printHistory(history, name)].join(''))
    // Formats of sessions keep committed transactions only.
    const kept = [...history.operations()].filter((op) => history.realTime || op.type === 'ok')
    const what = (op: (typeof kept)[number]) => [
      op.process,
      op.type,
      op.f,
      op.key,
      op.output,
      op.completeTime,
    ]
    expect([...again.operations()].map((op) => what(op).slice(1))).toEqual(
      kept.map((op) => what(op).slice(1)),
    )
    expect(again.faults.length).toBe(history.faults.length)
  })

  it('reads EDN with sets, tags, discarded forms and faults', () => {
    const history = parseHistory(SAMPLES['jepsen-edn'])
    expect(history.operation(0)).toMatchObject({ f: 'read', output: [1, 2], invokeTime: 1, completeTime: 2 })
    expect(history.faults).toEqual([{ index: 1, time: null, f: 'start-partition', value: 'n1' }])
  })

  it('reads hexadecimal numbers in EDN, as in the objects that Clojure prints', () => {
    const history = parseHistory(
      '{:type :info :process 0 :f :write :value [0x1F -0xffN 0xFFFFFFFFFFFFFFFF] :error #object[java.lang.Exception 0x1b2c3d "x"]}',
    )
    expect(history.operation(0)).toMatchObject({
      output: [31, -255, 0xffff_ffff_ffff_ffffn],
      error: ['java.lang.Exception', 0x1b2c3d, 'x'],
    })
  })

  it('takes a failed cas of a Porcupine log as an observation, and a timed-out read as unknown', () => {
    const history = parseHistory(`${SAMPLES['jepsen-log']}INFO  jepsen.util - 1\t:invoke\t:read\tnil
INFO  jepsen.util - 1\t:fail\t:read\t:timed-out
INFO  jepsen.util - 2\t:invoke\t:write\t3
INFO  jepsen.util - 2\t:info\t:write\t:timed-out\n`)
    expect([...history.operations()].map((op) => [op.type, op.f, op.input, op.output, op.timedOut])).toEqual([
      ['ok', 'cas', [1, 2], false, null],
      ['info', 'read', null, null, true],
      ['info', 'write', 3, null, true],
    ])
  })

  it('reads sessions as processes, without real time, and 0 as the initial state', () => {
    const history = parseHistory(SAMPLES.awdit)
    expect(history.realTime).toBe(false)
    expect([...history.operations()].map((op) => [op.process, op.output])).toEqual([
      [
        0,
        [
          ['w', 1, 1],
          ['r', 2, null],
        ],
      ],
      [0, [['r', 1, 1]]],
      [1, [['w', 2, 5]]],
    ])
  })

  it('takes a list of micro-operations without f as a transaction and spells them one way', () => {
    const history = parseHistory('{:type :ok :process 0 :value [[:read :x 1] [:append :y 2] [:write :z 3]]}')
    expect(history.operation(0)).toMatchObject({
      f: 'txn',
      output: [
        ['r', 'x', 1],
        ['append', 'y', 2],
        ['w', 'z', 3],
      ],
    })
  })

  it('round-trips any history through its own format', () => {
    const value = fc.jsonValue({ maxDepth: 2 })
    const type = fc.constantFrom('invoke', 'ok', 'fail', 'info') as fc.Arbitrary<HistoryEvent['type']>
    const event = fc.record({
      type,
      process: fc.oneof(fc.nat(3), fc.constantFrom('a', '__proto__', 'constructor')),
      f: fc.constantFrom('read', 'write', 'toString'),
      key: value,
      value,
      time: fc.option(fc.nat()),
      node: fc.option(fc.constantFrom('n1', 'n2')),
    })
    fc.assert(
      fc.property(fc.array(event, { maxLength: 30 }), (events) => {
        const history = History.from(events)
        const again = parseHistory([...printHistory(history)].join(''), { format: 'wavetank' })
        expect(withoutIndexes(again)).toEqual(withoutIndexes(history))
      }),
      { numRuns: FULL ? 20_000 : 300 },
    )
  })
})

/** Reads it, walks it, writes it in every format: `history`, `usage`, or what else was thrown. */
function outcome(raw: Uint8Array, options: { format?: string }): string {
  try {
    const history = parseHistory(raw, options)
    for (const op of history.operations()) if (!/ok|fail|info/.test(op.type)) return `type ${op.type}`
    for (const { name } of FORMATS) {
      for (const piece of printHistory(history, name)) if (typeof piece !== 'string') return 'not a string'
    }
    return 'history'
  } catch (error) {
    return error instanceof UsageError ? 'usage' : String((error as Error).stack)
  }
}

/** JSON has no -0 and no undefined; everything else must come back. */
function withoutIndexes(history: History): unknown {
  return JSON.parse(JSON.stringify([...history.operations()]))
}

describe('bad input', () => {
  const errorOf = (text: string | Uint8Array, format?: string): HistorySyntaxError => {
    try {
      parseHistory(text, format === undefined ? {} : { format })
    } catch (error) {
      if (error instanceof HistorySyntaxError) return error
      throw error
    }
    throw new Error('it was accepted')
  }

  it.each([
    ['wavetank', '{"wavetank":"history","version":1}\n{"type":"ok","process":}\n', 2, 24],
    ['wavetank', '{"wavetank":"history","version":1}\n{"type":"ok","process":{}}\n', 2, 1],
    ['wavetank', '{"wavetank":"history","version":2}\n', 1, 1],
    ['wavetank', '{"wavetank":"history","version":1}\n{"type":"ok","time":"noon"}\n', 2, 1],
    ['wavetank', '{"wavetank":"history","version":1}\n[1,2]\n', 2, 1],
    ['wavetank', '{"wavetank":"history","version":1}\n{"type":"done"}\n', 2, 1],
    ['jepsen-edn', '{:type :ok}\n{:type :ok :value "abc}\n', 2, 19],
    ['jepsen-edn', '{:type :ok}\n{:type :ok :value}\n', 2, 18],
    ['jepsen-edn', '[{:type :ok}\n {:type :maybe}]', 2, 2],
    ['jepsen-edn', '[{:type :ok}', 1, 13],
    ['jepsen-edn', '{:type :ok, :value 12x}', 1, 20],
    ['jepsen-edn', '{:type :ok, :process [1]}', 1, 1],
    ['jepsen-edn', `{:type :ok, :value ${'9'.repeat(2000)}}`, 1, 20],
    ['jepsen-jsonl', '{"type":"ok","f":"a\\q"}\n', 1, 20],
    ['jepsen-jsonl', '{"type":"ok","f":"a\tb"}\n', 1, 20],
    ['jepsen-json', '[{"type":"ok"},\n{"type":"ok",}]', 2, 14],
    ['jepsen-json', '[{"type":"ok"}', 1, 15],
    ['jepsen-json', '[{"type":"ok"} {"type":"ok"}]', 1, 16],
    ['jepsen-jsonl', '{"type":"ok","f":1}\n', 1, 1],
    ['jepsen-log', '0\t:ok\t:read\t3\nnonsense\n', 2, 1],
    ['jepsen-log', '0\t:ok\t:read\t"abc\n', 1, 13],
    ['awdit', 'w 1 1\nx 2 3\n', 2, 1],
    ['polysi', 'w(0,1,1,1)\nw(0,1,1)\n', 2, 1],
    ['polysi-json', '{"s":0,"ev":[["q",1,2]]}\n', 1, 1],
    ['dbcop', '{"sessions":[[{"events":3}]]}', 1, 1],
  ])('%s names the place: %j', (format, text, line, column) => {
    const error = errorOf(text, format)
    expect([error.line, error.column, error.code]).toEqual([line, column, 'ERR_WAVETANK_HISTORY_SYNTAX'])
  })

  it('says what it saw when no format fits', () => {
    expect(errorOf('hello there').message).toContain('the format cannot be told from "hello there"')
  })

  it.each([
    ['wavetank', '{"type":"ok","value":', '[', ']', '}'],
    ['jepsen-edn', '{:type :ok, :value ', '[', ']', '}'],
    ['jepsen-edn', '{:type :ok, :value ', '#_', '', '}'],
    ['jepsen-edn', '{:type :ok, :value ', '^', '', '}'],
    ['jepsen-edn', '{:type :ok, :value ', '#a ', '', '}'],
    ['jepsen-json', '[{"type":"ok","value":', '[', ']', '}]'],
    ['dbcop', '{"sessions":', '[', ']', '}'],
  ])('%s refuses deep nesting of %j…', (format, before, open, close, after) => {
    const text = `${before}${open.repeat(200_000)}${close.repeat(200_000)}${after}`
    expect(errorOf(text, format).message).toMatch(/nest deeper|discard/)
  })

  it('names the byte that is not UTF-8', () => {
    const bytes = Buffer.from('{"type":"ok","id":1}\n{"type":"ok","f":"ä?"}\n')
    bytes[bytes.indexOf('?')] = 0xff
    const error = errorOf(bytes, 'wavetank')
    expect([error.line, error.column]).toEqual([2, 20])
    expect(error.message).toContain('0xff is not UTF-8')
  })

  it('keeps prototype names as plain data', () => {
    const edn = parseHistory(
      '{:type :ok :f "__proto__" :process "constructor" :value {:__proto__ {:polluted 1}}}',
    )
    expect(edn.operation(0)).toMatchObject({ f: '__proto__', process: 'constructor' })
    expect(Object.keys(edn.operation(0).output as object)).toEqual(['__proto__'])
    const json = parseHistory(
      '{"type":"ok","id":1,"f":"__proto__","key":"__proto__","value":{"__proto__":1}}\n',
    )
    expect(json.operation(0)).toMatchObject({ f: '__proto__', key: '__proto__' })
    expect(({} as Record<string, unknown>).polluted).toBeUndefined()
  })

  it('reads a line of tens of megabytes, and refuses a broken one with its column', () => {
    const size = FULL ? 100e6 : 20e6
    const long = `{"type":"ok","id":1,"f":"read","value":[${'1,'.repeat(size / 2)}1]}`
    expect((parseHistory(`${long}\n`).operation(0).output as unknown[]).length).toBe(size / 2 + 1)
    expect(errorOf(`${long.slice(0, -2)}x]}\n`).column).toBe(long.length - 1)
  })

  it('reads bytes that are longer than a text can be, piece by piece', () => {
    const line = Buffer.alloc(1 << 20, 0x20)
    line.write('{"type":"ok","process":0,"f":"read","value":1')
    line.write('}\n', line.length - 2)
    const bytes = Buffer.concat(Array.from({ length: MAX_TEXT / line.length + 1 }, () => line))
    expect(bytes.length).toBeGreaterThan(MAX_TEXT)
    expect(parseHistory(bytes).length).toBe(bytes.length / line.length)
  }, 60_000)

  it('skips a torn last line and says so, and refuses a broken line before the last', () => {
    const torn = parseHistory(`${SAMPLES.wavetank}{"type":"invoke","id":1,"f":"re`)
    expect(torn.length).toBe(1)
    expect(torn.problems).toMatchObject([{ code: 'torn-last-line', line: 4 }])
    const cutCharacter = Buffer.from(`${SAMPLES.wavetank}{"type":"invoke","f":"ä`).subarray(0, -1)
    expect(parseHistory(cutCharacter).problems).toMatchObject([{ code: 'torn-last-line', line: 4 }])
    expect(errorOf(`${SAMPLES.wavetank}{"type":"inv\n`).line).toBe(4)
  })

  it('survives mutated input of every format: a history or a UsageError, nothing else', () => {
    const seeds = Object.entries(SAMPLES)
    const piece = fc.oneof(
      fc.constantFrom(
        '{',
        '}',
        '[',
        ']',
        '"',
        ':',
        '\\',
        '#',
        '#_',
        '\n',
        ',',
        '__proto__',
        '1e999',
        '-',
        '\0',
        '\\u12',
      ),
      fc.string({ maxLength: 4 }),
      fc.constantFrom(':type :ok', '"type":"ok"', 'nil', 'null', '9999999999999999999999'),
    )
    const edit = fc.record({
      at: fc.double({ min: 0, max: 1, noNaN: true }),
      remove: fc.nat(12),
      insert: piece,
    })
    const byte = fc.record({ at: fc.double({ min: 0, max: 1, noNaN: true }), value: fc.nat(255) })
    const input = fc.record({
      seed: fc.nat(seeds.length - 1),
      edits: fc.array(edit, { maxLength: 6 }),
      bytes: fc.array(byte, { maxLength: 2 }),
      named: fc.boolean(),
    })
    fc.assert(
      fc.property(input, ({ seed, edits, bytes, named }) => {
        const [format, sample] = seeds[seed]
        let text = sample
        for (const { at, remove, insert } of edits) {
          const start = Math.floor(at * text.length)
          text = text.slice(0, start) + insert + text.slice(start + remove)
        }
        const raw = Buffer.from(text)
        for (const { at, value } of bytes) if (raw.length > 0) raw[Math.floor(at * (raw.length - 1))] = value
        expect(outcome(raw, named ? { format } : {})).toMatch(/^(history|usage)$/)
      }),
      { numRuns: FULL ? 120_000 : 3000 },
    )
  })
})

describe('detection', () => {
  it.each([
    ' ',
    '\n',
    ';',
    ';\n',
    '[',
    '[ ',
    '{',
    '{"type" ',
    'r ',
    'INFO ',
    'r(',
    '"',
    '0 :',
    '\0',
    '[[{',
    '[{"a"',
  ])('takes no time on a head of %j', (piece) => {
    // A quadratic pattern would take minutes here, not milliseconds, and run into the time limit of the test.
    for (const end of ['', 'x', '\n', ' :']) {
      expect(detectFormat(piece.repeat(1_000_000 / piece.length) + end)?.name ?? null).toSatisfy(isNameOrNull)
    }
  })
})

function isNameOrNull(name: unknown): boolean {
  return name === null || FORMATS.some((format) => format.name === name)
}
