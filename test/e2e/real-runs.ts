/**
 * Real tests on the built command line, on machines of any speed: the time of a run may be over before its fault has begun
 * or has left evidence, and waiting for something on the machine takes as long as it takes.
 */
import { existsSync, readdirSync } from 'node:fs'
import { basename, join } from 'node:path'
import { expect } from 'vitest'
import { manifestFolder, readManifest } from '../../src/real/cleanup/manifest.ts'

const MOST_RUNS = 5
const POLL_MS = 50
const MOST_MS = 240_000

/** Runs a test until it shows what is asked for, with twice the time in each run. Returns the last outcome. */
export async function runUntil<T>(
  leastS: number,
  run: (timeLimit: readonly ['--time-limit', string]) => Promise<T>,
  shows: (outcome: T) => boolean,
): Promise<T> {
  for (let times = 1; ; times++) {
    const outcome = await run(['--time-limit', String(leastS * 2 ** (times - 1))])
    if (shows(outcome) || times === MOST_RUNS) return outcome
  }
}

/** Waits for something that must come. */
export async function until(isTrue: () => boolean): Promise<void> {
  for (const endMs = performance.now() + MOST_MS; !isTrue() && performance.now() < endMs;)
    await new Promise((resolve) => setTimeout(resolve, POLL_MS))
  expect(isTrue()).toBe(true)
}

/** Names of the runs of a tool, by the manifests in a folder; of all tools without its number. */
export function runsIn(manifests: string, pid?: number): string[] {
  if (!existsSync(manifests)) return []
  return readdirSync(manifests)
    .filter((name) => name.endsWith('.json'))
    .filter((name) => pid === undefined || readManifest(join(manifests, name))?.owner.pid === pid)
    .map((name) => name.replace('.json', ''))
}

/** Where a tool with this folder for temporary files keeps the manifests of its runs. */
export function manifestsIn(temporary: string): string {
  return join(temporary, basename(manifestFolder()))
}

/** What runs have left of themselves in such a folder: manifests, drafts of them, and folders. */
export function leftIn(temporary: string): string[] {
  const manifests = manifestsIn(temporary)
  const known = existsSync(manifests) ? readdirSync(manifests) : []
  return [...known, ...readdirSync(temporary).filter((name) => name.startsWith('wavetank-nodes-'))]
}
