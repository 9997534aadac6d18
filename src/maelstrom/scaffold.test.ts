/** Every scaffolded node is right on the nodes that its first test asks for. The command is tested in test/e2e. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { testInTank } from '../../examples/gossip-glomers/tank.test-support.ts'
import { firstTest, scaffold } from './scaffold.ts'
import { WORKLOADS, type WorkloadName } from './workloads/index.ts'

const EXAMPLES = join(import.meta.dirname, '../../examples')
const NAMES = Object.keys(WORKLOADS) as WorkloadName[]
let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(EXAMPLES, '.scaffold-'))
  // All at once: a thread reads a folder of the project once.
  for (const workload of NAMES)
    writeFileSync(join(folder, `${workload}.ts`), scaffold(workload, `${workload}.ts`))
})
afterAll(() => rmSync(folder, { recursive: true }))

it.each(NAMES)('%s', { timeout: 60_000 }, async (workload) => {
  const file = `${workload}.ts`
  expect(scaffold(workload, file)).toContain(firstTest(workload, file))
  const path = join(folder.slice(EXAMPLES.length + 1), file)
  const { results } = await testInTank(workload, path, {
    nodeCount: workload === 'unique-ids' ? 3 : 1,
    perNode: 2,
    rate: 20,
    timeLimitSeconds: 5,
  })
  expect(results).toMatchObject({ 'valid?': true, nodes: { counts: {} } })
})
