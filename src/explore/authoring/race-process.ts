/**
 * One further process in the world of a race, on a host of its own. `stop`, `kill`, `pause` and `resume` mean what they mean
 * in a simulation's faults.
 */
import type { Host } from '../../world/host.ts'
import type { SimProcess } from '../../world/process.ts'

export interface ProcessOptions {
  /** The process's and its host's name: others reach it by that name. */
  readonly name?: string
  readonly args?: readonly string[]
  readonly env?: Readonly<Record<string, string>>
}

/** Waits for a wake-up, which is an event of the world: {@link RaceContext.wait}. */
export type Wait = (what: string, enlist: (wake: () => void) => void) => Promise<void>

/** What a process prints, and the tasks that wait for a text in it. */
export class Output {
  text = ''
  /** Where the output of the last boot begins. */
  private bootAt = 0
  private readonly decoder = new TextDecoder()
  private waiting: { readonly text: string; readonly wake: () => void }[] = []

  add(bytes: Uint8Array): void {
    this.text += this.decoder.decode(bytes, { stream: true })
    const { waiting } = this
    this.waiting = waiting.filter(({ text }) => !this.has(text))
    for (const { text, wake } of waiting) if (this.has(text)) wake()
  }

  enlist(text: string, wake: () => void): void {
    if (this.has(text)) wake()
    else this.waiting.push({ text, wake })
  }

  booted(): void {
    this.bootAt = this.text.length
  }

  private has(text: string): boolean {
    return this.text.includes(text, this.bootAt)
  }
}

export class RaceProcess {
  readonly name: string
  readonly address: string
  private readonly process: SimProcess
  private readonly printing: Output
  private readonly wait: Wait

  constructor(process: SimProcess, host: Host, output: Output, wait: Wait) {
    this.process = process
    this.name = process.name
    this.address = host.address
    this.printing = output
    this.wait = wait
  }

  /** Everything that the process has printed so far. */
  get output(): string {
    return this.printing.text
  }

  /** Waits until the process has printed a text since its last start: `await server.printed('listening')`. */
  printed(text: string): Promise<void> {
    return this.wait(`${this.name} to print ${JSON.stringify(text)}`, (wake) =>
      this.printing.enlist(text, wake),
    )
  }

  get alive(): boolean {
    return this.process.alive
  }

  /** SIGTERM: the process may clean up before it exits. */
  stop(): void {
    this.process.signal('SIGTERM')
  }

  /** SIGKILL: the process ends at once. */
  kill(): void {
    this.process.kill()
  }

  /** Boots the process again, on the disk that it left. */
  start(): void {
    this.printing.booted()
    this.process.start()
  }

  pause(): void {
    this.process.pause()
  }

  resume(): void {
    this.process.resume()
  }
}
