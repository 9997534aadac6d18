/** Exhibits that talk to a server: nothing is found in the versions without the bug. */
import { describe } from 'vitest'
import { exhibits, findsNothingInFixed, isOpen } from './visiting-hours.ts'

describe.skipIf(!isOpen())('the zoo’s fixed clients', () => {
  findsNothingInFixed(exhibits.filter(({ hasServer }) => hasServer === true))
})
