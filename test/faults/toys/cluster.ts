/** Toys of processes that differ from their peers, and of members that leave. */
import { broken, every, type Toy } from '../toy.ts'

const mixedVersion: Toy = {
  family: 'mixed-version',
  assumption: 'all run the same version',
  count: 2,
  run: (_process, node) => every(node, 1000, () => {}),
  variants: {
    next: {
      run: (_process, node) => {
        broken('another version')
        every(node, 1000, () => {})
      },
    },
  },
}

const configDivergence: Toy = {
  family: 'config-divergence',
  assumption: 'all have the same configuration',
  count: 2,
  run: (_process, node) => {
    if (node.globalThis.process.env.MODE === 'other') broken('another configuration')
    every(node, 1000, () => {})
  },
  variants: { other: { env: { MODE: 'other' } } },
}

const membership: Toy = {
  family: 'membership',
  assumption: 'members stay',
  count: 3,
  run: (_process, node) => every(node, 1000, () => {}),
  more: { membership: { leave: ({ name }) => broken(`${name} leaves`), join: () => {} } },
}

export const CLUSTER_TOYS: readonly Toy[] = [mixedVersion, configDivergence, membership]
