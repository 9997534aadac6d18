/**
 * A process: an identity that outlives reboots, and what runs in it now. Each start is a boot with an actor of its own,
 * so that nothing of an earlier boot can ever reach a later one. A boot that ends leaves nothing behind: its actor is
 * dead, its sockets are closed as the kernel closes them, its program is destroyed.
 *
 *     off ──start──▶ running ⇄ paused
 *      ▲                └──────┴──▶ exited (code or signal) ──start──▶ running
 *      └──────── power off ────┘
 */
import type { Actor } from '../kernel/actor.ts'
import { UsageError } from '../kernel/errors.ts'
import type { Kernel } from '../kernel/kernel.ts'
import type { Evidence } from './evidence.ts'
import type { Host } from './host.ts'

/** The program of a process: the node layer makes one from an entry file or a function. */
export interface Program {
  /** Starts the program. Its first step is the current one or a later event of `process.actor`. */
  boot(process: SimProcess): RunningProgram
}

export interface RunningProgram {
  /** A signal that a process can handle: SIGTERM, SIGHUP, SIGUSR2, … */
  signal(name: string): void
  /** The process is over: release everything. No code of the program may run any more. */
  destroy(): void
}

/** How a boot ended: one of the two is null. */
export interface ExitStatus {
  readonly code: number | null
  readonly signal: string | null
}

export type ProcessState = 'off' | 'running' | 'paused' | 'exited'

export type ExitListener = (status: ExitStatus, process: SimProcess) => void

export class SimProcess {
  readonly name: string
  readonly host: Host
  readonly program: Program
  readonly kernel: Kernel
  readonly evidence: Evidence
  /** How often it was started. */
  boots = 0
  pid = 0
  state: ProcessState = 'off'
  /** How the last boot ended, while exited. */
  exitStatus: ExitStatus | null = null
  /** The program that the next boots run in place of {@link program}: another version, another configuration. */
  variant: Program | null = null
  private currentActor: Actor | null = null
  private running: RunningProgram | null = null
  private readonly exitListeners: ExitListener[] = []

  constructor(kernel: Kernel, evidence: Evidence, host: Host, name: string, program: Program) {
    this.kernel = kernel
    this.evidence = evidence
    this.host = host
    this.name = name
    this.program = program
    host.addProcess(this)
  }

  /** The current boot's actor. */
  get actor(): Actor {
    if (this.currentActor === null) {
      throw new UsageError('ERR_WAVETANK_PROCESS_OFF', `process ${this.name} has never been started`)
    }
    return this.currentActor
  }

  get alive(): boolean {
    return this.state === 'running' || this.state === 'paused'
  }

  /** Boots the program. The host must have power. */
  start(): void {
    if (this.alive)
      throw new UsageError('ERR_WAVETANK_PROCESS_ALIVE', `process ${this.name} is already ${this.state}`)
    if (!this.host.up) {
      throw new UsageError(
        'ERR_WAVETANK_HOST_OFF',
        `process ${this.name} cannot start: host ${this.host.name} is off`,
      )
    }
    this.boots++
    this.pid = this.host.takePid()
    this.state = 'running'
    this.exitStatus = null
    this.currentActor = this.kernel.actor(this.name)
    this.running = (this.variant ?? this.program).boot(this)
    // A program may end while it boots; its `destroy` is then still owed.
    if (!this.alive) this.destroyProgram()
  }

  /**
   * Sends a signal. SIGKILL, SIGSTOP and SIGCONT are the kernel's business; the rest goes to the program, which decides
   * what it does. A paused process sees it when it is resumed.
   */
  signal(name: string): void {
    if (!this.alive) return
    if (name === 'SIGKILL') this.kill()
    else if (name === 'SIGSTOP') this.pause()
    else if (name === 'SIGCONT') this.resume()
    else {
      const running = this.running
      this.kernel.deliver(this.actor, () => running?.signal(name))
    }
  }

  /** SIGKILL: it never runs again, paused or not. */
  kill(): void {
    if (!this.alive) return
    this.evidence.report('process-killed', { process: this.name, host: this.host.name })
    this.exit({ code: null, signal: 'SIGKILL' })
  }

  pause(): void {
    if (this.state !== 'running') return
    this.state = 'paused'
    this.kernel.pause(this.actor)
    this.evidence.report('process-paused', { process: this.name, host: this.host.name })
  }

  resume(): void {
    if (this.state !== 'paused') return
    this.state = 'running'
    this.evidence.report('process-resumed', {
      process: this.name,
      host: this.host.name,
      held: this.actor.held.length,
    })
    this.kernel.resume(this.actor)
  }

  /** The program ended, by itself or by a signal: the node layer calls this at the end of its last step. */
  exit(status: ExitStatus): void {
    if (!this.alive) return
    this.state = 'exited'
    this.exitStatus = status
    this.kernel.hash.addText(`${status.code} ${status.signal}`, 'exits with')
    this.end()
    this.host.net.release(this.actor)
    for (const listener of this.exitListeners.slice()) listener(status, this)
  }

  /** The host's power is gone. True if the process was alive. */
  powerOff(): boolean {
    const wasAlive = this.alive
    this.state = 'off'
    if (wasAlive) this.end()
    return wasAlive
  }

  /** Called for every boot that ends by itself or by a signal, but not at power loss: no parent is left then. */
  onExit(listener: ExitListener): void {
    this.exitListeners.push(listener)
  }

  private end(): void {
    this.kernel.kill(this.actor)
    this.destroyProgram()
  }

  private destroyProgram(): void {
    const { running } = this
    this.running = null
    running?.destroy()
  }
}
