/** A seed's run does not depend on what ran before it in the same thread. */
import { expect, it } from 'vitest'
import { simulate } from '../../src/index.ts'
import type { Toy } from './toy.ts'
import { TOYS } from './toys.ts'
import { inWeather } from './weather.ts'

async function digest(toy: Toy, seed: number): Promise<string> {
  let found = ''
  const families = [...(toy.along ?? []), toy.family]
  await simulate(inWeather(toy, families), { seed, onSeed: (result) => (found = result.digest) })
  return `${toy.family} ${seed} ${found}`
}

it('gives the same runs in any order', async () => {
  const jobs = TOYS.flatMap((toy) => [1, 2].map((seed) => ({ toy, seed })))
  const forwards: string[] = []
  for (const { toy, seed } of jobs) forwards.push(await digest(toy, seed))
  const backwards: string[] = []
  for (const { toy, seed } of jobs.reverse()) backwards.push(await digest(toy, seed))
  expect(backwards.reverse()).toEqual(forwards)
}, 300_000)
