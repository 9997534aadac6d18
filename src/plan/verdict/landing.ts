/** Whether a planned nemesis is proven: the injector tried, and the victim showed it. */
import { NEMESES } from '../catalog/nemeses.ts'
import type { Evidence, EvidenceFault } from '../evidence/evidence.ts'

export interface Landing {
  readonly nemesis: string
  readonly injected: number
  readonly landed: number
  readonly signals: number
  readonly proven: boolean
  readonly why: string
}

/** The evidence of a nemesis by its own name, or by the families whose landing proves it. */
export function landingOf(nemesis: string, { faults }: Pick<Evidence, 'faults'>): Landing {
  const families: readonly string[] = NEMESES.find(({ id }) => id === nemesis)?.families ?? []
  const rows = faults.filter((fault) => fault.nemesis === nemesis || families.includes(fault.nemesis))
  const sum = (of: (fault: EvidenceFault) => number): number =>
    rows.reduce((total, row) => total + of(row), 0)
  const [injected, landed, signals] = [
    sum((row) => row.injected),
    sum((row) => row.landed),
    sum((row) => row.victimSignals),
  ]
  const proven = injected > 0 && landed > 0 && signals > 0
  return {
    nemesis,
    injected,
    landed,
    signals,
    proven,
    why: proven ? '' : reason(nemesis, { rows: rows.length, injected, landed, signals }),
  }
}

function reason(
  nemesis: string,
  { rows, injected, landed, signals }: { rows: number; injected: number; landed: number; signals: number },
): string {
  if (rows === 0) return `${nemesis} is planned, and the evidence does not mention it`
  if (injected === 0) return `${nemesis} was never injected`
  if (landed === 0) return `${nemesis} was injected ${injected} times, and no victim showed it`
  return `${nemesis} is said to have landed ${landed} times, with ${signals} signals at the victims`
}
