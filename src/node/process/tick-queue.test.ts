import { expect, it } from 'vitest'
import { TickQueue } from './tick-queue.ts'

it('gives entries in their order, however many wait and whatever was taken in between', () => {
  const queue = new TickQueue()
  const taken: unknown[] = []
  let pushed = 0
  for (let round = 0; round < 200; round++) {
    for (let i = 0; i <= round % 70; i++) queue.push(pushed++)
    for (let i = 0; i < round % 50; i++) if (!queue.isEmpty()) taken.push(queue.shift())
  }
  while (!queue.isEmpty()) taken.push(queue.shift())
  expect(taken).toEqual(Array.from({ length: pushed }, (_, i) => i))
})

it('says null when nothing is left', () => {
  const queue = new TickQueue()
  expect(queue.shift()).toBeNull()
  queue.push('a')
  queue.shift()
  expect(queue.shift()).toBeNull()
})
