/**
 * Which models some cycle in a component breaks, without finding the cycle: the subgraph that a model requires to be
 * acyclic is tested for a component of its own. For the snapshot isolation family an anti-dependency may only follow a
 * dependency, so the test runs on pairs of (vertex, whether an anti-dependency may come next).
 */
import type { Component } from './component.ts'
import { cyclicComponents } from './components.ts'
import { ANTI, DEPENDENCY } from './cycle-kinds.ts'
import { PROCESS, REALTIME, RWP, WW } from './graph.ts'
import { impossibleModels } from '../lattice.ts'

interface ExistenceTest {
  readonly anomaly: string
  readonly kinds: number
  /** Anti-dependencies that may follow one of `kinds`. */
  readonly extension: number
}

const TESTS: readonly ExistenceTest[] = [
  { anomaly: 'PL-1', kinds: WW, extension: 0 },
  { anomaly: 'PL-2', kinds: DEPENDENCY, extension: 0 },
  { anomaly: 'PL-SI', kinds: DEPENDENCY, extension: ANTI },
  { anomaly: 'PL-2.99', kinds: DEPENDENCY | (ANTI & ~RWP), extension: 0 },
  { anomaly: 'PL-3', kinds: DEPENDENCY | ANTI, extension: 0 },
  { anomaly: 'strong-session-PL-1', kinds: WW | PROCESS, extension: 0 },
  { anomaly: 'strong-session-PL-2', kinds: DEPENDENCY | PROCESS, extension: 0 },
  { anomaly: 'strong-session-snapshot-isolation', kinds: DEPENDENCY | PROCESS, extension: ANTI },
  { anomaly: 'strong-session-serializable', kinds: DEPENDENCY | ANTI | PROCESS, extension: 0 },
  { anomaly: 'strong-PL-1', kinds: WW | REALTIME, extension: 0 },
  { anomaly: 'strong-PL-2', kinds: DEPENDENCY | REALTIME, extension: 0 },
  { anomaly: 'strong-snapshot-isolation', kinds: DEPENDENCY | REALTIME, extension: ANTI },
  { anomaly: 'PL-SS', kinds: DEPENDENCY | ANTI | REALTIME, extension: 0 },
]

/** `…-cycle-exists` anomalies of the weakest models broken. */
export function brokenModels(graph: Component): string[] {
  const broken: string[] = []
  for (const test of TESTS) {
    const model = test.anomaly
    if (impossibleModels(broken).has(model)) continue
    if (cyclic(graph, test)) broken.push(`${model}-cycle-exists`)
  }
  return broken
}

function cyclic(
  { members, offset, target, kinds }: Component,
  { kinds: usable, extension }: ExistenceTest,
): boolean {
  const vertices = members.length
  const copies = extension === 0 ? 1 : 2
  const rowOffset = new Int32Array(vertices * copies + 1)
  const rowTarget: number[] = []
  for (let copy = 0; copy < copies; copy++) {
    for (let v = 0; v < vertices; v++) {
      for (let e = offset[v]; e < offset[v + 1]; e++) {
        if ((kinds[e] & usable) !== 0) rowTarget.push(target[e] + (copies === 2 ? vertices : 0))
        if (copy === 1 && (kinds[e] & extension) !== 0) rowTarget.push(target[e])
      }
      rowOffset[copy * vertices + v + 1] = rowTarget.length
    }
  }
  const rows = {
    vertices: vertices * copies,
    offset: rowOffset,
    target: Int32Array.from(rowTarget),
  }
  return cyclicComponents(rows, null).length > 0
}
