/**
 * One package program in the tank, as a program of its own, so that what it does to the real machine can be watched from
 * outside: `tank.mjs PROGRAM`. What the process itself needs is loaded before the first mark.
 */
import { writeSync } from 'node:fs'
import { NodeThread } from '../../src/node/index.ts'
import { inTank } from './runs.ts'

const [program] = process.argv.slice(2)
NodeThread.get()
writeSync(2, 'wavetank: begin\n')
const { stdout, stderr, code } = await inTank(program)
writeSync(2, 'wavetank: end\n')
writeSync(1, stdout)
writeSync(2, stderr)
process.exit(code ?? 1)
