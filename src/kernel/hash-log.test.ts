import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { decodeHashes, encodeHashes, firstDifference, HashLog } from './hash-log.ts'
import { Kernel } from './kernel.ts'

/** Twenty thousand steps, of which one may be a little different. */
function run(odd: number | null): Uint32Array {
  const kernel = new Kernel({ seed: 1 })
  const log = HashLog.of(kernel)
  const actor = kernel.actor('a')
  let left = 20_000
  const tick = (): void => {
    if (kernel.step === odd) kernel.hash.add(1)
    if (--left > 0) kernel.schedule(actor, 'timer', 1, tick)
  }
  kernel.schedule(actor, 'timer', 1, tick)
  kernel.run()
  return log.values()
}

describe('the log of hashes', () => {
  it('is the same for the same run, and tells the first step of another', () => {
    const hashes = run(null)
    expect(hashes.length).toBe(20_000)
    expect(firstDifference(hashes, run(null))).toBe(null)
    expect(firstDifference(hashes, run(12_345))).toBe(12_345)
  })

  it('tells when one run goes on where the other ended', () => {
    const hashes = run(null)
    expect(firstDifference(hashes, hashes.slice(0, 500))).toBe(501)
  })

  it('survives being written as text, up to eighteen bits of each step', () => {
    fc.assert(
      fc.property(fc.uint32Array(), (hashes) => {
        const text = encodeHashes(hashes)
        expect(text.length).toBe(3 * hashes.length)
        expect(firstDifference(decodeHashes(text), hashes)).toBe(null)
      }),
    )
    expect(() => decodeHashes('AB')).toThrow(/no multiple of 3/)
    expect(() => decodeHashes('A*B')).toThrow(/letter "\*"/)
  })
})
