/** A thread of the strength bench: measures the cells that it is sent. */
import { parentPort } from 'node:worker_threads'
import { measure, type Cell, type Column } from './cell.ts'
import { PROGRAMS } from './programs.ts'

export interface Order {
  readonly program: string
  readonly column: Column
  readonly trials: number
}

export interface Delivery extends Order {
  readonly cell: Cell
}

const port = parentPort!

port.on('message', (order: Order) => {
  const program = PROGRAMS.find(({ name }) => name === order.program)!
  // Messages arrive in a macrotask, but only the next one has nothing of this one's microtasks left.
  setImmediate(() => {
    void measure(program, order.column, order.trials).then((cell) => {
      const delivery: Delivery = { ...order, cell }
      port.postMessage(delivery) // oxlint-disable-line unicorn/require-post-message-target-origin
    })
  })
})
