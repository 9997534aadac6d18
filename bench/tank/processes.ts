/** What processes cost: heartbeats against real time, and booting an express program again. */
import { existsSync } from 'node:fs'
import { NodeThread } from '../../src/node/index.ts'
import { figure, median, read, since, type Row } from './measurement.ts'
import { addProgram, ROOT, tankWorld } from './tank-run.ts'

const EXPRESS = `${ROOT}/test/packages/node_modules/express`

/** Five processes that send each other a line every 50 ms: how much faster than real time. */
export async function heartbeats(): Promise<Row> {
  const names = ['n1', 'n2', 'n3', 'n4', 'n5']
  const virtualMs = 60_000
  const speeds: number[] = []
  for (let round = 0; round < 3; round++) {
    const world = tankWorld()
    for (const name of names) {
      const env = { SELF: name, PEERS: names.join(',') }
      addProgram(world, { name, program: 'heartbeat.cjs', env }, () => {}).start()
    }
    const end = world.kernel.actor('end')
    world.kernel.schedule(end, 'end', virtualMs * 1_000, () => world.kernel.stop())
    const begun = read()
    await NodeThread.get().run(world.kernel)
    speeds.push(virtualMs / since(begun).cpuMs)
    const dead = [...world.processes.values()].filter(({ alive }) => !alive)
    for (const process of world.processes.values()) process.kill()
    if (dead.length > 0)
      throw new Error(`${dead.map(({ name }) => name).join()} ended: heartbeats were missed`)
  }
  const speed = median(speeds)
  return {
    what: '5 processes, heartbeats every 50 ms',
    measured: `${figure(speed)}× real time`,
    bar: '150×',
    ratio: speed / 150,
    note: `${virtualMs / 1_000} s, ${20 * 20} messages a second, boots included`,
  }
}

/** Boots until V8 has compiled what a boot runs; campaigns boot thousands of times in a thread. */
const WARM_BOOTS = 50

/** From the start of a process that ran before to its `listening`. */
export async function reboot(): Promise<Row> {
  const what = 'reboot of an express process'
  const bar = 'at most 20 ms'
  if (!existsSync(EXPRESS)) {
    return { what, measured: 'skipped', bar, ratio: null, note: 'npm install in test/packages gives express' }
  }
  const world = tankWorld()
  const { kernel } = world
  const env = { EXPRESS, PORT: '80' }
  const process = addProgram(world, { name: 'server', program: 'express-server.cjs', env }, () =>
    kernel.stop(),
  )
  const boots: number[] = []
  for (let boot = 0; boot < 3 * WARM_BOOTS; boot++) {
    const begun = read()
    process.start()
    await NodeThread.get().run(kernel)
    boots.push(since(begun).cpuMs)
    process.kill()
  }
  const steady = median(boots.slice(WARM_BOOTS))
  return {
    what,
    measured: `${figure(steady)} ms`,
    bar,
    ratio: 20 / steady,
    note: `the first in a thread ${figure(boots[0])} ms`,
  }
}
