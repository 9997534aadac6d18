/**
 * The program of a worker thread that runs a share of a race: it loads the file, takes the share and reports. See
 * `explore/search/share-thread.ts`.
 */
import { readFileSync } from 'node:fs'
import { parentPort, workerData } from 'node:worker_threads'
import { absentRunner } from './absent-runner.ts'
import { ShareBoard } from '../explore/search/share-board.ts'
import type { ShareMessage, ShareOrder } from '../explore/search/share-thread.ts'
import { runShare } from '../explore/search/share.ts'
import { raceProgram } from '../explore/search/race-file.ts'
import { strategyOf } from '../explore/search/strategies/by-name.ts'
import { thrownData } from '../explore/finding/thrown.ts'
import { hostClock } from '../host/host-clock.ts'
import { raceHost } from './race-host.ts'

const { file, name, options, share, of, output, ...order } = workerData as ShareOrder
// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
const say = (message: ShareMessage) => parentPort!.postMessage(message)

const runner = await absentRunner(readFileSync(file, 'utf8'))
const program = raceProgram(file, name, options, {
  ...raceHost(() => runner).tank(file),
  ...(output ? { onOutput: (text) => say({ output: text }) } : {}),
})
const board = new ShareBoard(order.board)
if (board.take(share)) {
  const { seed, iterations } = options
  const strategy = () => strategyOf(options.strategy, options)
  const clock = () => hostClock.nowMs()
  const { end, ...done } = await runShare(program, { share, of, strategy, seed, iterations, board, clock })
  const sent = end !== null && 'thrown' in end ? thrownData(end.iteration, end.thrown) : end
  say({ report: { ...done, end: sent } })
}
