/**
 * What the harness needs of the machine it runs on: a clock, timers and child processes, all of them Node's own. The
 * harness is ordinary Node code. On the real machine these are the real ones; inside the tank the globals lead to the
 * simulated process, so that the same functions give virtual time and simulated pipes.
 */
import type { ChildProcessWithoutNullStreams } from 'node:child_process'

export interface Machine {
  /** Microseconds since some fixed moment. */
  nowUs(): number
  /** Calls back after milliseconds; returns how to cancel it. */
  after(delayMs: number, call: () => void): () => void
  spawn(command: string, args: readonly string[]): ChildProcessWithoutNullStreams
  /** Sends a signal to a child and to what it started. */
  signal(child: ChildProcessWithoutNullStreams, signal: NodeJS.Signals): void
  /** Programs of this kind are run by this Node, whatever their first line says. */
  readonly execPath: string
}

export interface MachineOptions {
  /** Working directory of the nodes. */
  readonly cwd?: string
  /** True: each node leads a process group of its own, so that what it started dies with it. */
  readonly groups: boolean
}

/** The machine of the running process: the real one, or the simulated one in the tank. */
export function runningMachine({ cwd, groups }: MachineOptions): Machine {
  const { process, performance, setTimeout, clearTimeout } = globalThis
  const childProcess = process.getBuiltinModule('node:child_process')
  return {
    nowUs: () => Math.round(performance.now() * 1000),
    after(delayMs, call) {
      const timer = setTimeout(call, delayMs)
      return () => clearTimeout(timer)
    },
    spawn: (command, args) =>
      childProcess.spawn(command, [...args], {
        stdio: 'pipe',
        detached: groups,
        ...(cwd === undefined ? {} : { cwd }),
      }),
    signal(child, signal) {
      if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return
      if (!groups) return void child.kill(signal)
      try {
        process.kill(-child.pid, signal)
      } catch {
        child.kill(signal) // the group is not there yet, or is gone already
      }
    },
    execPath: process.execPath,
  }
}

export function sleep(machine: Machine, delayMs: number): Promise<void> {
  return new Promise((resolve) => void machine.after(delayMs, resolve))
}
