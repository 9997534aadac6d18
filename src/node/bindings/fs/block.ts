/**
 * A synchronous operation that takes long blocks its process's event loop. JavaScript cannot be held up in the middle of
 * a step, so the operation returns at once and the process is deaf from the end of the step until the time is over. Other
 * processes see the same as in Node; only its own clock does not.
 */
import { max } from '../../../kernel/arithmetic.ts'
import { KernelEvent } from '../../../kernel/event.ts'
import type { RunningProcess } from '../../process/running-process.ts'

interface Block {
  untilUs: number
  readonly over: KernelEvent
}

const BLOCK = Symbol('block')

export function blockLoop(process: RunningProcess, durationUs: number): void {
  const { kernel, actor, state } = process
  let block = state.get(BLOCK) as Block | undefined
  if (block === undefined) {
    block = { untilUs: 0, over: new KernelEvent('fs', process.placement.host.actor, () => wake(process)) }
    state.set(BLOCK, block)
  }
  block.untilUs = max(kernel.now, block.untilUs) + durationUs
  kernel.pause(actor)
  kernel.arm(block.over, block.untilUs)
}

function wake({ kernel, actor, placement }: RunningProcess): void {
  for (const process of placement.host.processes) {
    // It was paused for another reason meanwhile, and is resumed for that one.
    if (process.state === 'paused' && process.actor === actor) return
  }
  kernel.resume(actor)
}
