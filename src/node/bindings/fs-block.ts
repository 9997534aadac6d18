/**
 * A synchronous operation that takes long blocks its process's event loop. JavaScript cannot be held up in the middle of
 * a step, so the operation returns at once and the process is deaf from the end of the step until the time is over:
 * whoever waits for it sees the same, its own clock alone does not.
 */
import { max } from '../../kernel/arithmetic.ts'
import { KernelEvent } from '../../kernel/event.ts'
import type { NodeProcess } from '../process.ts'

interface Block {
  untilUs: number
  readonly over: KernelEvent
}

const BLOCK = Symbol('block')

export function blockLoop(process: NodeProcess, durationUs: number): void {
  const { kernel, actor, state } = process
  let block = state.get(BLOCK) as Block | undefined
  if (block === undefined) {
    block = { untilUs: 0, over: new KernelEvent('fs', process.site.host.actor, () => wake(process)) }
    state.set(BLOCK, block)
  }
  block.untilUs = max(kernel.now, block.untilUs) + durationUs
  kernel.pause(actor)
  kernel.arm(block.over, block.untilUs)
}

function wake({ kernel, actor, site }: NodeProcess): void {
  for (const process of site.host.processes) {
    // Somebody paused it meanwhile: then it is theirs to resume.
    if (process.state === 'paused' && process.actor === actor) return
  }
  kernel.resume(actor)
}
