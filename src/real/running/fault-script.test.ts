import { describe, expect, it } from 'vitest'
import type { RealFaultRecord } from '../nemeses/nemesis.ts'
import { faultScript } from './fault-script.ts'

function record(nemesis: string, family: RealFaultRecord['family'], ...targets: string[]): RealFaultRecord {
  const times = { beginUs: 3_000_000, endUs: 4_500_000 }
  const evidence = { injector: '', victim: '', landed: true }
  return { id: 1, nemesis, family, group: 'process', text: '', targets, ...times, ...evidence }
}

const options = {
  beganUs: 1_000_000,
  untilUs: 9_000_000,
  nameOf: (node: string) => node.replace('n', 'raft'),
}

describe('the faults of a real run as a script', () => {
  it.each([
    [
      'kill:minority',
      record('kill:minority', 'reboot', 'n1', 'n2'),
      [
        { fault: 'reboot', target: 'raft1', with: { kind: 'kill', scope: 'process' } },
        { fault: 'reboot', target: 'raft2', with: { kind: 'kill', scope: 'process' } },
      ],
    ],
    [
      'partition',
      record('partition', 'partition', 'n1'),
      [{ fault: 'partition', with: { shape: 'split-brain' } }],
    ],
    [
      'partition:one',
      record('partition:one', 'partition', 'n3'),
      [{ fault: 'partition', target: 'raft3', with: { shape: 'isolate' } }],
    ],
    [
      'partition:one-way',
      record('partition:one-way', 'partition', 'n3'),
      [{ fault: 'one-way-cut', target: 'raft3' }],
    ],
    [
      'mass-restart:stop',
      record('mass-restart:stop', 'mass-restart', 'n1'),
      [{ fault: 'mass-restart', with: { how: 'stop' } }],
    ],
    ['sync-error', record('sync-error', 'sync-error', 'n2'), [{ fault: 'sync-error', target: 'raft2' }]],
    ['latency', record('latency', 'slow-link', 'n1', 'n2'), [{ fault: 'slow-link' }]],
  ])('has %s at its moment, for as long', (_, fault, expected) => {
    const times = { atMs: 2000, forMs: 1500, mayMiss: true }
    expect(faultScript([fault], options)).toEqual(expected.map((each) => ({ ...each, ...times })))
  })

  it('leaves out what began after the failure', () => {
    expect(faultScript([record('pause', 'pause', 'n1')], { ...options, untilUs: 2_000_000 })).toEqual([])
  })
})
