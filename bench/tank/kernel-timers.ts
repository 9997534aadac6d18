/** Bare kernel timers: what everything above can at most get. More of it in bench/kernel.ts. */
import type { KernelEvent } from '../../src/kernel/event.ts'
import { Kernel } from '../../src/kernel/kernel.ts'
import { figure, median, read, since, type Row } from './measurement.ts'

const EVENTS = 1_000_000
const PENDING = 1_000

export function kernelTimers(): Row {
  const rates = Array.from({ length: 5 }, () => {
    const kernel = new Kernel({ seed: 1 })
    const actor = kernel.actor('timers')
    let left = EVENTS
    for (let i = 0; i < PENDING; i++) {
      const period = 1_000 + ((i * 7919) % 1_000)
      const event: KernelEvent = kernel.schedule(actor, 'timer', period, () => {
        if (left-- > PENDING) kernel.arm(event, kernel.now + period)
      })
    }
    const begun = read()
    kernel.run()
    return (EVENTS / since(begun).cpuMs) * 1_000
  })
  const rate = median(rates)
  return {
    what: 'kernel timers',
    measured: `${figure(rate)} events/s`,
    bar: '1,000,000/s',
    ratio: rate / 1_000_000,
    note: `${figure(PENDING)} pending`,
  }
}
