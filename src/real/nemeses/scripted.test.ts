import { describe, expect, it } from 'vitest'
import type { AimedFault } from '../../sim/authoring/script.ts'
import { nemesisName } from './index.ts'
import { scriptedFaults } from './scripted.ts'

const namesOf = (...script: AimedFault[]): string[] =>
  scriptedFaults('x', script).map(({ chosen }) => nemesisName(chosen))

describe('a script among real processes', () => {
  it('has a nemesis for every fault with a real mechanism', () => {
    expect(
      namesOf(
        { fault: 'pause', atMs: 1 },
        { fault: 'reboot', atMs: 1, with: { kind: 'stop' } },
        { fault: 'partition', atMs: 1, with: { shape: 'majorities-ring' } },
        { fault: 'one-way-cut', atMs: 1 },
        { fault: 'clock-drift', atMs: 1 },
        { fault: 'sync-error', after: 'leads' },
        { fault: 'membership', atMs: 1 },
      ),
    ).toEqual([
      'pause:all',
      'stop:all',
      'partition:ring',
      'partition:one-way',
      'clock-drift:all',
      'sync-error:all',
      'membership',
    ])
  })

  it.each<[string, AimedFault, string]>([
    [
      'a power loss',
      { fault: 'reboot', atMs: 1, with: { kind: 'power-loss' } },
      'reboot power-loss) has no mechanism',
    ],
    ['what has no mechanism', { fault: 'loop-stall', atMs: 1 }, 'script[0] (loop-stall) has no mechanism'],
    ['a condition', { fault: 'pause', while: () => true }, 'which only the tank can ask'],
  ])('is refused with %s', (_, fault, reason) => {
    expect(() => namesOf(fault)).toThrow(reason)
  })

  it('is refused where there is none', () => {
    expect(() => scriptedFaults('x', undefined)).toThrow('x has no script')
  })
})
