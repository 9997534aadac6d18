/** `wavetank maelstrom new WORKLOAD`: writes a first node into the working directory, and says how to test it. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { UsageError } from '../../kernel/errors.ts'
import { firstTest, scaffold } from '../../maelstrom/scaffold.ts'
import { WORKLOADS, type WorkloadName } from '../../maelstrom/workloads/index.ts'

export function newNode([name, ...rest]: readonly string[]): number {
  const workloads = Object.keys(WORKLOADS) as WorkloadName[]
  const workload = workloads.find((each) => each === name)
  if (workload === undefined || rest.length > 0)
    throw wrong(`expected one workload: ${workloads.join(', ')}; got ${[name, ...rest].join(' ') || 'none'}`)
  const file = `${workload}.ts`
  try {
    writeFileSync(join(process.cwd(), file), scaffold(workload, file), { flag: 'wx' })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    throw wrong(`${file} exists already, and is left as it is`)
  }
  process.stdout.write(`wrote ${file}\nnext: ${firstTest(workload, file)}\n`)
  return 0
}

function wrong(what: string): UsageError {
  return new UsageError('ERR_WAVETANK_ARGUMENTS', `wavetank maelstrom new: ${what}`)
}
