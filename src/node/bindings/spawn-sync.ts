/**
 * `spawn_sync`: a child that its parent waits for. One microtask queue serves all processes, so a child cannot run
 * while its parent is in the middle of a step. Only a command that the host does not have is answered: it needs no
 * child.
 */
import { commandFor } from '../process/children/command-line.ts'
import { current } from '../process/current.ts'
import type { Binding } from '../library/internals.ts'
import { closed, UnsupportedError, uvCode } from './binding.ts'

interface SpawnSyncOptions {
  readonly file: string
  readonly args?: readonly string[]
}

export function spawnSync(): Binding {
  return closed('spawn_sync', {
    spawn({ file, args = [file] }: SpawnSyncOptions) {
      const { placement } = current()
      if (commandFor(file, args.slice(1), {}, placement.execPath) === null)
        return { pid: 0, status: null, signal: null, output: null, error: uvCode('ENOENT') }
      throw new UnsupportedError(
        `the tank cannot block a process until its child '${file}' has ended: use the asynchronous form`,
      )
    },
  })
}
