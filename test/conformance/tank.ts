/**
 * The tank's side of a conformance run: node [flags] conformance-tank.mjs FILE. Boots one host with FILE as a process,
 * prints what it prints, and ends with its exit code. Virtual time is bounded, so that a test that waits for something
 * that never comes fails at once instead of hanging.
 */
import { writeSync } from 'node:fs'
import { NodeProgram, NodeThread, projectImage } from '../../src/node/index.ts'
import { World } from '../../src/world/world.ts'

const VIRTUAL_LIMIT_US = 600e6
const STUCK = 124

const [file] = process.argv.slice(2)
const root = process.cwd()
const world = new World({ seed: 1, traceCapacity: 1024 })
const host = world.addHost('tank', {
  disk: { image: [{ at: root, from: root, reader: projectImage() }] },
  epochMs: Date.UTC(2026, 0, 1),
})
const program = new NodeProgram({
  entry: file,
  cwd: root,
  execArgv: process.execArgv,
  env: { HOME: '/root', PATH: '/usr/local/bin:/usr/bin:/bin', NODE_TEST_DIR: '/tmp', TEST_THREAD_ID: '1' },
  onOutput: ({ fd, bytes }) => writeSync(fd, bytes),
})
const subject = world.addProcess('test', host, program)
subject.start()
world.kernel.afterStep.push(() => {
  if (world.kernel.now > VIRTUAL_LIMIT_US || subject.state === 'exited') world.kernel.stop()
})
await NodeThread.get().run(world.kernel)
if (subject.state !== 'exited') {
  console.error(`tank: the process has not ended after ${Math.round(world.kernel.now / 1e6)} virtual seconds`)
  process.exit(STUCK)
}
process.exit(subject.exitStatus?.code ?? 1)
