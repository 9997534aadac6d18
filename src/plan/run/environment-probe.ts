/** Looks for what §6b demands: each probe is a command that exits with 0, and may print a version. */
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import type { Requirement } from '../model/plan.ts'

export interface Capability {
  readonly requirement: string
  readonly floor: string
  readonly version: string | null
  readonly state: 'present' | 'missing' | 'too old' | 'not probed'
  readonly usedBy: readonly string[]
  readonly hint: string
}

const PROBE_MS = 15_000

export async function probeEnvironment(
  requirements: readonly Requirement[],
  cwd: string,
): Promise<Capability[]> {
  return Promise.all(requirements.map((requirement) => probe(requirement, cwd)))
}

async function probe(
  { requirement, floor, probe: command, usedBy, hint }: Requirement,
  cwd: string,
): Promise<Capability> {
  const row = { requirement, floor, usedBy, hint, version: null }
  if (command === null) return { ...row, state: 'not probed' }
  try {
    const { stdout, stderr } = await promisify(execFile)('/bin/sh', ['-c', command], {
      cwd,
      timeout: PROBE_MS,
    })
    const version = /\d+(\.\d+)+/.exec(`${stdout}\n${stderr}`)?.[0] ?? null
    const floorVersion = /\d+(\.\d+)*/.exec(floor)?.[0]
    const isTooOld = floorVersion !== undefined && version !== null && isBelow(version, floorVersion)
    return { ...row, version, state: isTooOld ? 'too old' : 'present' }
  } catch {
    return { ...row, state: 'missing' }
  }
}

function isBelow(version: string, floor: string): boolean {
  const [a, b] = [version, floor].map((text) => text.split('.').map(Number))
  for (let i = 0; i < b.length; i++) {
    const difference = (a[i] ?? 0) - b[i]
    if (difference !== 0) return difference < 0
  }
  return false
}

/** What a scenario lacks, as evidence has it. */
export function missingFor(
  capabilities: readonly Capability[],
  scenario: string,
): { requirement: string; hint: string }[] {
  return capabilities
    .filter(
      ({ state, usedBy }) =>
        (state === 'missing' || state === 'too old') && (usedBy.length === 0 || usedBy.includes(scenario)),
    )
    .map(({ requirement, floor, version, state, hint }) => ({
      requirement: state === 'too old' ? `${requirement} ${floor} (there is ${version})` : requirement,
      hint,
    }))
}
