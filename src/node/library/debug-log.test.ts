import { expect, it } from 'vitest'
import type { ProcessFunction } from '../process/program-options.ts'
import { runPrograms } from '../process/programs.test-support.ts'

const using: ProcessFunction = ({ require, process }) => {
  const { debuglog } = require('util')
  debuglog('own')('said %d', 1)
  process.stdout.write(String(debuglog('own').enabled))
  require('net')
    .connect(1)
    .on('error', () => {})
}

it('NODE_DEBUG makes the processes that have it talk, modules that they share included', async () => {
  const { stdout, stderr } = await runPrograms({
    loud: { entry: using, env: { NODE_DEBUG: 'own,net' } },
    quiet: using,
  })
  expect(stdout).toEqual({ loud: 'true', quiet: 'false' })
  expect(stderr.loud).toMatch(/^OWN \d+: said 1$/m)
  expect(stderr.loud).toMatch(/^NET \d+: connect/m)
  expect(stderr.quiet).toBe('')
})
