import { describe, expect, it } from 'vitest'
import type { History } from '../history.ts'
import { parseHistory } from '../read.ts'

const today = (thread: string, logger: string, message: string): string =>
  `2026-05-10 12:01:02,123{GMT}\tINFO\t[${thread}] ${logger}: ${message}\n`
const operation = (message: string): string => today('jepsen worker 0', 'jepsen.util', message)

const outcomes = (history: History): unknown[] =>
  [...history.operations()].map((op) => [op.process, op.type, op.f, op.input, op.output, op.error])

describe('a jepsen.log', () => {
  it('has its operations between messages of other loggers and lines that continue a message', () => {
    const history = parseHistory(
      [
        today('jepsen test runner', 'jepsen.core', 'Running test:\n{:name "x"\n :nodes ["n1"]}'),
        operation('0\t:invoke\t:txn\t[[:read 1 nil] [:append 9 11]]'),
        today('n1 stderr', 'maelstrom.process', '0\t:ok\t:txn\t[[:r 1 [7]]]'),
        operation('0\t:ok\t:txn\t[[:read 1 [2]] [:append 9 11]]'),
        today('jepsen nemesis', 'jepsen.util', ':nemesis\t:info\t:start\tnil'),
        'java.net.SocketException: closed\n\tat a.b(c.clj:1)\n',
      ].join(''),
    )
    expect(history.format).toBe('jepsen-log')
    const txn = (seen: unknown) => [
      ['r', 1, seen],
      ['append', 9, 11],
    ]
    expect(outcomes(history)).toEqual([[0, 'ok', 'txn', txn(null), txn([2]), null]])
    expect(history.faults).toMatchObject([{ f: 'start', value: null }])
  })

  it('does not take a failed cas for an observation: it may have failed for want of a connection', () => {
    const history = parseHistory(
      [
        operation('0\t:invoke\t:cas\t[0 1]'),
        operation('0\t:fail\t:cas\t[0 1]\t:conn-closed'),
        operation('1\t:invoke\t:read\tnil'),
        operation('1\t:info\t:read\tnil\t:timeout'),
        operation('2\t:invoke\t:write\t3'),
        operation('2\t:info\t:write\t3\tConnection reset (closed'),
      ].join(''),
    )
    expect(outcomes(history)).toMatchObject([
      [0, 'fail', 'cas', [0, 1], [0, 1], 'conn-closed'],
      [1, 'info', 'read', null, null, 'timeout'],
      [2, 'info', 'write', 3, 3, 'Connection'],
    ])
  })

  it('is also read in the layout that has the level first', () => {
    const history = parseHistory(
      [
        'INFO [2019-04-01 11:25:23,791] jepsen test runner - jepsen.core Relative time begins now\n',
        'INFO [2019-04-01 11:25:23,791] jepsen worker 1 - jepsen.util 1\t:invoke\t:read\tnil\n',
        'INFO [2019-04-01 11:25:23,794] jepsen worker 1 - jepsen.util 1\t:ok\t:read\t2\n',
      ].join(''),
    )
    expect(outcomes(history)).toEqual([[1, 'ok', 'read', null, 2, null]])
  })

  it('skips a last operation without the end of its line: its value may have been longer', () => {
    const text = operation('0\t:invoke\t:read\tnil') + operation('0\t:ok\t:read\t35')
    const history = parseHistory(text.slice(0, -2))
    expect(outcomes(history)).toEqual([[0, 'info', 'read', null, null, null]])
    expect(history.problems).toMatchObject([{ code: 'torn-last-line', line: 2 }])
  })
})
