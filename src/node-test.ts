/**
 * wavetank under node:test: `race` declares an exploration as a test.
 *
 * ```ts
 * import { race } from 'wavetank/node-test'
 *
 * race('two deposits are both kept', async (t) => { … })
 * ```
 */
import * as nodeTest from 'node:test'
import { createRace, type Race } from './explore/race.ts'
import { runnerStandIn } from './explore/runner-stand-in.ts'
import { hostClock } from './host-clock.ts'
import { HOST_MODULES } from './host-modules.ts'
import { projectImage } from './node/bindings/fs-image.ts'
import { projectRoot } from './project.ts'

export const race: Race = createRace(
  {
    test: (title, run, timeout) => void nodeTest.test(title, { timeout }, run),
    only: (title, run, timeout) => void nodeTest.test(title, { timeout, only: true }, run),
    skip: (title) => void nodeTest.test(title, { skip: true }, () => {}),
  },
  (file) => {
    const root = projectRoot(file)
    const runner = runnerStandIn(nodeTest)
    return {
      image: [{ at: root, from: root, reader: projectImage() }],
      hostModules: { ...HOST_MODULES, 'wavetank/node-test': { race }, 'node:test': runner, test: runner },
    }
  },
  () => hostClock.nowMs(),
)
