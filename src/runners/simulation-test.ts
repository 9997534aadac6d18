/**
 * A campaign as a test of any runner: it passes if every promise held and the runs show enough. If not, it fails
 * with the report, the story of every unique bug, and the command that replays it.
 */
import { campaignText } from '../report/campaign/campaign-text.ts'
import type { CampaignResult } from '../sim/campaign/result.ts'
import { simulateFrom, type SimulationTarget } from '../host/simulate.ts'
import { checkSimulateOptions, type SimulateOptions } from '../host/simulate-options.ts'
import { callerFile } from '../node/bare.ts'

export interface SimulationTestOptions extends SimulateOptions {
  /** Real milliseconds after which the runner gives up; 300,000 by default. */
  readonly timeoutWallMs?: number
  /** Pass although the runs show too little, such as a `sometimes` that was never true. */
  readonly allowGaps?: boolean
}

export type SimulationTest = (
  title: string,
  target: SimulationTarget,
  options?: SimulationTestOptions,
) => void

/** The failure of a {@link SimulationTest}; `result` has all the data. Its stack is the message: the report says where. */
export class SimulationFailed extends Error {
  override readonly name = 'SimulationFailed'
  readonly code = 'ERR_WAVETANK_SIMULATION_FAILED'
  /** Not enumerable: runners print what is, and the text says it all. */
  declare readonly result: CampaignResult
  constructor(result: CampaignResult) {
    const text = campaignText(result)
    super(text)
    Object.defineProperty(this, 'result', { value: result })
    const frames = (result.failures[0]?.failure.stack ?? '')
      .split('\n')
      .filter((line) => /^\s+at /.test(line))
    this.stack = [`${this.name}: ${text}`, ...frames].join('\n')
  }
}

type Register = (title: string, run: () => Promise<void>, timeoutWallMs: number) => void

const TIMEOUT_WALL_MS = 300_000

export function createSimulationTest(register: Register): SimulationTest {
  const simulationTest: SimulationTest = (title, target, all = {}) => {
    const { timeoutWallMs = TIMEOUT_WALL_MS, allowGaps = false, ...options } = all
    checkSimulateOptions(options, 'simulationTest()')
    const from = callerFile(simulationTest)
    register(
      title,
      async () => {
        const result = await simulateFrom(from, target, options)
        if (result.verdict === 'held' || (allowGaps && result.verdict === 'coverage-gap')) return
        throw new SimulationFailed(result)
      },
      timeoutWallMs,
    )
  }
  return simulationTest
}
