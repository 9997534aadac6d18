import { describe, expect, it } from 'vitest'
import { killRecord, partitionRecord, pauseRecord } from './fault-evidence.ts'

describe('a fault has landed only if its victims showed it', () => {
  it.each([
    ['a partition that dropped messages', partitionRecord('one', ['n0', 'n1'], 3), 3],
    ['a partition that no message met', partitionRecord('one', ['n0', 'n1'], 0), 0],
    ['a kill of two nodes', killRecord(['n0', 'n1'], ['SIGKILL', 'SIGKILL']), 2],
    ['a kill of a node that ended in another way', killRecord(['n0', 'n1'], ['SIGKILL', null]), 0],
    ['a kill that found no node', killRecord([], []), 0],
    [
      'a pause in which messages waited',
      pauseRecord(
        ['n0', 'n1'],
        [
          { delivered: 4, written: 0 },
          { delivered: 0, written: 0 },
        ],
      ),
      4,
    ],
    ['a pause of an idle node', pauseRecord(['n0'], [{ delivered: 0, written: 0 }]), 0],
    ['a pause of a node that went on', pauseRecord(['n0'], [{ delivered: 4, written: 1 }]), 0],
    ['a pause of a node that was killed meanwhile', pauseRecord(['n0'], [null]), 0],
  ])('%s', (_, { signals, victim, injector }, expected) => {
    expect(signals).toBe(expected)
    expect(victim === null).toBe(expected === 0)
    expect(injector).not.toBe('')
  })
})
