import { spawnSync } from 'node:child_process'
import { expect, it } from 'vitest'
import type { ProcessFunction } from '../process/program-options.ts'
import { runPrograms } from '../process/programs.test-support.ts'

/** A deprecated use of a module that processes share. */
const using: ProcessFunction = ({ require }) => {
  const { createHash } = require('crypto')
  for (let i = 0; i < 2; i++) createHash('shake128')
}

/** Whether Node, of this version, warns of it unasked. */
const unasked = spawnSync(process.execPath, ['-e', `(${using.toString()})({ require })`], {
  encoding: 'utf8',
}).stderr.includes('DEP0198')

it('a deprecation is printed once by each process that asks for it, in every world', async () => {
  const asking = { entry: using, execArgv: ['--pending-deprecation'] }
  for (let world = 0; world < 2; world++) {
    const { stderr } = await runPrograms({ first: asking, second: asking, careless: using })
    expect(stderr.first.match(/DEP0198/g)).toHaveLength(1)
    expect(stderr.second.match(/DEP0198/g)).toHaveLength(1)
    expect(stderr.careless.match(/DEP0198/g) ?? []).toHaveLength(unasked ? 1 : 0)
  }
})
