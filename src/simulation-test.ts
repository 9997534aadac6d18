/**
 * A campaign as a test of any runner: it passes when every promise held and everything hoped for was seen, and fails
 * with the report and the command that shows the failure again.
 */
import { campaignText } from './report/campaign-text.ts'
import type { Simulation } from './sim/definition.ts'
import type { CampaignResult } from './sim/result.ts'
import { simulate, type SimulateOptions } from './simulate.ts'

export interface SimulationTestOptions extends SimulateOptions {
  /** Wall time after which the runner gives up. */
  readonly timeoutMs?: number
  /** Pass although something hoped for was never seen. */
  readonly allowGaps?: boolean
}

export type SimulationTest = (
  title: string,
  target: Simulation<any> | string | URL,
  options?: SimulationTestOptions,
) => void

/** The failure of a {@link SimulationTest}; `result` has all the data. */
export class SimulationFailed extends Error {
  override readonly name = 'SimulationFailed'
  readonly code = 'ERR_WAVETANK_SIMULATION_FAILED'
  readonly result: CampaignResult
  constructor(result: CampaignResult) {
    super(campaignText(result))
    this.result = result
  }
}

type Register = (title: string, run: () => Promise<void>, timeoutMs: number) => void

const TIMEOUT_MS = 300_000

export function createSimulationTest(register: Register): SimulationTest {
  return (title, target, { timeoutMs = TIMEOUT_MS, allowGaps = false, ...options } = {}) => {
    register(
      title,
      async () => {
        const result = await simulate(target, options)
        if (result.verdict === 'held' || (allowGaps && result.verdict === 'coverage-gap')) return
        throw new SimulationFailed(result)
      },
      timeoutMs,
    )
  }
}
