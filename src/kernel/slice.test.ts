import { describe, expect, it } from 'vitest'
import { Kernel } from './kernel.ts'
import { slice, type CausesOf } from './slice.ts'
import type { Trace } from './trace.ts'

/** The step that scheduled a step, the previous step of the same process, and further links. */
function causesIn(trace: Trace): CausesOf {
  return (step) => {
    const row = trace.row(step)
    return row === null ? null : [row.cause, row.previous, ...row.links]
  }
}

const steps = (kernel: Kernel, step: number): readonly number[] => slice([step], causesIn(kernel.trace)).steps

describe('the causal slice', () => {
  it('keeps messages and program order that lead to a step, and leaves out the rest', () => {
    const kernel = new Kernel({ seed: 1 })
    const [a, b, c] = ['a', 'b', 'c'].map((name) => kernel.actor(name))
    const nothing = (): void => {}
    kernel.schedule(a, 'one', 1, () => kernel.schedule(b, 'message', 5, nothing)) // step 1, then 6
    kernel.schedule(c, 'unrelated', 2, nothing) // 2
    kernel.schedule(b, 'before', 3, nothing) // 3
    kernel.schedule(a, 'after', 4, nothing) // 4
    kernel.schedule(c, 'unrelated', 5, nothing) // 5
    kernel.run()
    expect(steps(kernel, 6)).toEqual([1, 3, 6])
    expect(steps(kernel, 4)).toEqual([1, 4])
  })

  it('follows links, and does not take a machine’s packets for causes of each other', () => {
    const kernel = new Kernel({ seed: 1 })
    const host = kernel.actor('host', { ordered: false })
    const process = kernel.actor('process')
    const nothing = (): void => {}
    kernel.schedule(host, 'packet', 1, nothing)
    kernel.schedule(host, 'packet', 2, nothing)
    kernel.schedule(host, 'packet', 3, nothing)
    kernel.schedule(process, 'read', 4, () => kernel.trace.link(kernel.step, 2))
    kernel.run()
    expect(steps(kernel, 3)).toEqual([3])
    expect(steps(kernel, 4)).toEqual([2, 4])
  })

  it('says when causes are no longer known', () => {
    const kernel = new Kernel({ seed: 1, traceCapacity: 10 })
    const actor = kernel.actor('a')
    let left = 30
    const tick = (): void => void (--left > 0 && kernel.schedule(actor, 'timer', 1, tick))
    kernel.schedule(actor, 'timer', 1, tick)
    kernel.run()
    expect(slice([30], causesIn(kernel.trace)).complete).toBe(false)
    expect(steps(kernel, 30)).toEqual([21, 22, 23, 24, 25, 26, 27, 28, 29, 30])
    expect(steps(kernel, 31)).toEqual([])
  })
})
