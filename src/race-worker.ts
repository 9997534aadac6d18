/** The program of a thread that runs a lane of a race: loads the file, takes the lane, reports. See `explore/lane-thread.ts`. */
import { readFileSync } from 'node:fs'
import { parentPort, workerData } from 'node:worker_threads'
import { absentRunner } from './absent-runner.ts'
import { LaneBoard } from './explore/lane-board.ts'
import type { LaneMessage, LaneOrder } from './explore/lane-thread.ts'
import { runLane } from './explore/lane.ts'
import { raceProgram } from './explore/race.ts'
import { strategyOf } from './explore/strategies/by-name.ts'
import { thrownData } from './explore/thrown.ts'
import { hostClock } from './host-clock.ts'
import { raceHost } from './race-host.ts'

const { file, name, options, lane, of, output, ...order } = workerData as LaneOrder
// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
const say = (message: LaneMessage) => parentPort!.postMessage(message)

const runner = await absentRunner(readFileSync(file, 'utf8'))
const program = raceProgram(file, name, options, {
  ...raceHost(() => runner).tank(file),
  ...(output ? { onOutput: (text) => say({ output: text }) } : {}),
})
const board = new LaneBoard(order.board)
if (board.take(lane)) {
  const { seed, iterations } = options
  const strategy = () => strategyOf(options.strategy, options)
  const clock = () => hostClock.nowMs()
  const { end, ...done } = await runLane(program, { lane, of, strategy, seed, iterations, board, clock })
  const sent = end !== null && 'thrown' in end ? thrownData(end.iteration, end.thrown) : end
  say({ report: { ...done, end: sent } })
}
