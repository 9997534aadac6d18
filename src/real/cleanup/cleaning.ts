/**
 * Takes away everything that a manifest names: processes first, then what its commands know, mounts, control groups,
 * namespaces, interfaces and folders. Doing it twice does no harm. It returns what is left, with the reason; an empty
 * list is a clean machine.
 */
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, rmdirSync, rmSync } from 'node:fs'
import { processesOf, processesWith, processId } from '../cluster/process-state.ts'
import {
  readManifest,
  removeDraft,
  removeManifest,
  RUN_VARIABLE,
  staleManifests,
  type Resources,
} from './manifest.ts'

/** A process that was killed needs a processor once more to end, and a busy machine may let it wait. */
const ROUNDS = 500
const ROUND_MS = 20
/** Another machine may be slow, or gone. */
const COMMAND_MS = 30_000

/** Cleans up after one run; its manifest goes when nothing is left. */
export function cleanUp(path: string): string[] {
  const resources = readManifest(path)
  if (resources === null) {
    removeDraft(path)
    return []
  }
  const left = [
    ...endProcesses(resources),
    ...resources.commands.flatMap(takeAway),
    ...resources.mounts.flatMap(unmount),
    ...resources.groups.flatMap(removeGroup),
    ...resources.namespaces.flatMap((name) => remove('netns', name, `/run/netns/${name}`)),
    ...resources.interfaces.flatMap((name) => remove('link', name, `/sys/class/net/${name}`)),
    ...resources.folders.flatMap(removeFolder),
  ]
  if (left.length === 0) removeManifest(path)
  return left
}

/** Cleans up after every run whose tool has died without doing so. */
export function recover(): { readonly runs: number; readonly left: readonly string[] } {
  const stale = staleManifests()
  return { runs: stale.length, left: stale.flatMap(cleanUp) }
}

function endProcesses(resources: Resources): string[] {
  for (let round = 0; round < ROUNDS; round++) {
    const living = livingOf(resources)
    if (living.length === 0) return []
    for (const pid of living) signal(pid, 'SIGKILL')
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ROUND_MS)
  }
  return livingOf(resources).map((pid) => `process ${pid} does not end`)
}

/**
 * The processes of the manifest, what they started, and everything that carries the run's name. The number of a process
 * that has ended may belong to another by now; as long as its session has members, it cannot.
 */
function livingOf({ run, processes }: Resources): number[] {
  const ours = processes.filter((id) => {
    const now = processId(id.pid)
    return now === null || now.startTicks === id.startTicks
  })
  const named = processesOf(new Set(ours.map(({ pid }) => pid)))
  const marked = processesWith(`${RUN_VARIABLE}=${run}`)
  return [...new Set([...named, ...marked])].filter((pid) => pid !== process.pid && isRunning(pid))
}

function isRunning(pid: number): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
    return !/\) [ZX] /.test(stat)
  } catch {
    return false
  }
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name)
  } catch {
    // It has ended by itself.
  }
}

function takeAway([program, ...args]: readonly string[]): string[] {
  const { status, stderr, error } = spawnSync(program, args, { encoding: 'utf8', timeout: COMMAND_MS })
  if (status === 0) return []
  return [`${program} … ended with ${status}: ${(error?.message ?? stderr).trim()}`]
}

function unmount(path: string): string[] {
  if (!readFileSync('/proc/mounts', 'utf8').includes(` ${path} `)) return []
  const { status, stderr } = spawnSync('umount', ['-l', path], { encoding: 'utf8' })
  return status === 0 ? [] : [`mount ${path}: ${stderr.trim()}`]
}

function removeGroup(path: string): string[] {
  try {
    if (existsSync(path)) rmdirSync(path)
    return []
  } catch (error) {
    return [`control group ${path}: ${(error as Error).message}`]
  }
}

function remove(object: 'netns' | 'link', name: string, witness: string): string[] {
  if (!existsSync(witness)) return []
  const { status, stderr } = spawnSync('ip', [object, 'del', name], { encoding: 'utf8' })
  return status === 0 || !existsSync(witness) ? [] : [`${object} ${name}: ${stderr.trim()}`]
}

function removeFolder(path: string): string[] {
  try {
    rmSync(path, { recursive: true, force: true, maxRetries: 5 })
    return []
  } catch (error) {
    return [`folder ${path}: ${(error as Error).message}`]
  }
}
