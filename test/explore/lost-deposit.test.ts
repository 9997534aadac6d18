/** The negative control of races in the tank: a lost update through real files must be found. */
import * as vitest from 'vitest'
import * as adapter from 'wavetank/vitest'
import { RaceFound } from '../../src/explore/finding.ts'
import { exploreFile } from '../../src/explore/race.ts'
import { runnerStandIn } from '../../src/explore/runner-stand-in.ts'
import { projectImage } from '../../src/node/bindings/fs-image.ts'

const ROOT = new URL('../..', import.meta.url).pathname.replace(/\/$/, '')

vitest.it('finds that two deposits at once are not both kept', async () => {
  const exploration = exploreFile(
    `${ROOT}/test/explore/lost-deposit.race.ts`,
    'two deposits are both kept',
    { iterations: 200 },
    {
      image: [{ at: ROOT, from: ROOT, reader: projectImage() }],
      hostModules: { vitest: runnerStandIn(vitest), 'wavetank/vitest': adapter },
    },
  )
  await vitest.expect(exploration).rejects.toBeInstanceOf(RaceFound)
})
