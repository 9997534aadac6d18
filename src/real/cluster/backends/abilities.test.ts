import { describe, expect, it } from 'vitest'
import type { RealSystem } from '../../../sim/authoring/real-system.ts'
import type { SimulationDefinition } from '../../../sim/authoring/definition.ts'
import { NEMESES } from '../../nemeses/index.ts'
import { blindness, checkFits, refusal } from './abilities.ts'

const system: RealSystem = {
  name: 'it',
  needs: {},
  ports: [],
  start: () => ({ command: 'it' }),
  ready: () => true,
}
const definition = (change: Partial<SimulationDefinition>): SimulationDefinition => ({
  processes: { node: { system } },
  workload: { run: () => {} },
  ...change,
})

describe('what a backend can do', () => {
  it('is everything for the local one', () => {
    expect(NEMESES.filter(({ name }) => refusal('local', name) !== null)).toEqual([])
  })

  it.each(['namespaces', 'ssh', 'docker'] as const)('is no weather of the proxy for %s', (backend) => {
    for (const name of ['latency', 'duplicate', 'reorder']) expect(refusal(backend, name)).toContain('proxy')
    for (const name of ['kill', 'pause', 'partition', 'loss']) expect(refusal(backend, name)).toBeNull()
  })

  it('is said before the run, with the reason', () => {
    const entries = definition({ processes: { node: { entry: './node.js' } } })
    expect(() => checkFits('namespaces', definition({}), ['kill', 'latency'])).toThrow(
      /latency needs our proxy/,
    )
    expect(() => checkFits('ssh', entries, [])).toThrow(/only a system can run there/)
    expect(() => checkFits('namespaces', entries, ['kill'])).not.toThrow()
    expect(() => checkFits('ssh', definition({}), ['mass-restart', 'partition', 'membership'])).not.toThrow()
    expect(() => checkFits('ssh', definition({}), ['freeze'])).toThrow(
      /processes and folders of this machine/,
    )
  })

  it('leaves invariants out where nothing taps the wire', () => {
    const tapped = definition({ taps: { it: { port: 1, decode: 'json' } } })
    expect(blindness('local', tapped)).toBeNull()
    expect(blindness('namespaces', definition({}))).toBeNull()
    expect(blindness('namespaces', tapped)).toContain('does not tap the wire')
  })
})
