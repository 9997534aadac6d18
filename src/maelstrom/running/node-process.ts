/**
 * One node: a child process that reads messages on stdin and writes messages on stdout, a JSON object per line. Its
 * stderr is its log. What others ask it before it has answered `init` waits a while, because a node that handles messages
 * in threads would have to answer without a name. It is ended by SIGKILL only; if it ends by itself, that is a fault, reported with its last lines.
 */
import type { ChildProcessWithoutNullStreams } from 'node:child_process'
import type { Machine } from '../machine.ts'
import type { Network } from '../network/network.ts'
import { isClient, parseMessage, printMessage, type Message } from '../protocol/envelope.ts'
import type { Answers } from './answers.ts'
import { LineReader } from './line-reader.ts'
import type { NodeFaults } from './node-fault.ts'

/** Characters in one line of a node's stdout. */
const MOST_LINE_CHARACTERS = 8 << 20
/** Bytes that wait for a node to read them. */
const MOST_WAITING_BYTES = 64 << 20
/**
 * What a node may write to stdout in a second: bytes, lines that are no messages, and lines, with more of them for each
 * message that it gets from others. A machine slows a node down, but in the tank computing takes no time, and a node that
 * writes without end would write for ever within a second.
 */
const MOST_BYTES_PER_SECOND = 256 << 20
const MOST_MALFORMED_PER_SECOND = 20_000
const MOST_LINES_PER_SECOND = 100_000
const MOST_LINES_PER_MESSAGE = 100
const SECOND_US = 1_000_000
const NO_TRAFFIC = { messages: 0, lines: 0, malformed: 0, bytes: 0 }
/** What waits for the answer to `init` waits no longer than this: the node may answer `init` only after it. */
const MOST_HELD_MS = 2000
/** What a node wrote before it was stopped may arrive this much later. */
const WRITTEN_BEFORE_US = 100_000
/** Lines of stdout and of stderr in the report of an exit. */
const LAST_LINES = 32
const SHOWN_CHARACTERS = 500

export interface Program {
  readonly command: string
  readonly args: readonly string[]
}

export interface NodeSettings {
  readonly id: string
  readonly program: Program
  readonly machine: Machine
  readonly network: Network
  readonly faults: NodeFaults
  readonly answers: Answers
  /** A line that the node wrote to stderr. */
  readonly onLog: (node: string, line: string) => void
}

/** What passed while a node stood still. */
export interface Pause {
  /** Messages handed to it. */
  readonly delivered: number
  /** Lines that came from it all the same. */
  readonly written: number
}

export class NodeProcess {
  readonly id: string
  readonly #settings: NodeSettings
  #child: ChildProcessWithoutNullStreams | null = null
  /** Resolves when the process is gone. */
  #gone: Promise<void> = Promise.resolve()
  #ending = false
  /** Requests that wait until the node has answered `init`; null: it has, or had time to. */
  #held: [message: Message, id: number][] | null = null
  #cancelHold: () => void = () => {}
  #pause: { readonly beginUs: number; delivered: number; written: number } | null = null
  #endedBy: string | null = null
  /** What it got from others and wrote to stdout since a moment, up to a second after it. */
  #traffic = { ...NO_TRAFFIC, sinceUs: 0 }
  readonly #stdout: string[] = []
  readonly #stderr: string[] = []

  constructor(settings: NodeSettings) {
    this.id = settings.id
    this.#settings = settings
  }

  /** Resolves when the process is gone, or could not be started. */
  get gone(): Promise<void> {
    return this.#gone
  }

  get running(): boolean {
    return this.#child !== null
  }

  /** Ended by {@link kill}, and not started since. */
  get killed(): boolean {
    return this.#child === null && this.#ending
  }

  start(): void {
    const { machine, network, program, faults, onLog } = this.#settings
    this.#ending = false
    this.#pause = null
    this.#held = []
    this.#cancelHold = machine.after(MOST_HELD_MS, () => this.release())
    const child = machine.spawn(program.command, program.args)
    this.#child = child
    const messages = new LineReader(
      MOST_LINE_CHARACTERS,
      (line) => this.#line(line),
      (beginning) =>
        faults.add(
          'line-too-long',
          this.id,
          `wrote a line of more than ${MOST_LINE_CHARACTERS} characters to stdout, which was dropped; it begins with ${shown(beginning)}`,
        ),
    )
    const log = (line: string): void => {
      keepLast(this.#stderr, line)
      onLog(this.id, line)
    }
    const logs = new LineReader(MOST_LINE_CHARACTERS, log, log)
    child.stdout.on('data', (bytes: Buffer) => {
      this.#count('bytes', bytes.length)
      messages.write(bytes)
    })
    child.stderr.on('data', (bytes: Buffer) => logs.write(bytes))
    child.stdin.on('error', () => {}) // the node closed its stdin or is gone: its exit says so
    this.#gone = new Promise((resolve) => {
      child.on('error', (error: Error) => {
        if (child.pid === undefined) {
          this.#child = null
          faults.add('not-started', this.id, `cannot start ${program.command}: ${whyNotStarted(error)}`)
          resolve()
        }
      })
      child.on('close', (code: number | null, signal: string | null) => {
        messages.end()
        logs.end()
        this.#endedBy = signal
        if (!this.#ending && this.#child === child) this.#exited(code, signal)
        if (this.#child === child) this.#child = null
        resolve()
      })
    })
    network.attach(this.id, (message, id) => this.#deliver(message, id))
  }

  /** Ends the process at once. Messages that are sent to it are lost until the next start. Returns the signal that ended it. */
  async kill(): Promise<string | null> {
    if (this.#child === null) return null
    this.#ending = true
    this.#cancelHold()
    this.#settings.network.detach(this.id)
    this.#settings.machine.signal(this.#child, 'SIGKILL')
    await this.#gone
    return this.#endedBy
  }

  pause(): void {
    if (this.#child === null || this.#pause !== null) return
    this.#pause = { beginUs: this.#settings.machine.nowUs(), delivered: 0, written: 0 }
    this.#settings.machine.signal(this.#child, 'SIGSTOP')
  }

  /** What was seen of the pause; null if it was not paused, or was killed since. */
  resume(): Pause | null {
    const pause = this.#pause
    if (this.#child === null || pause === null) return null
    this.#pause = null
    this.#settings.machine.signal(this.#child, 'SIGCONT')
    return pause
  }

  /** The node has answered `init`: it gets what the others asked it meanwhile. */
  release(): void {
    this.#cancelHold()
    const held = this.#held ?? []
    this.#held = null
    for (const [message, id] of held) this.#deliver(message, id)
  }

  #deliver(message: Message, id: number): void {
    const child = this.#child
    if (child === null || child.stdin.destroyed) return
    const { type, in_reply_to: replyTo = null } = message.body
    if (this.#held !== null && type !== 'init' && replyTo === null) return void this.#held.push([message, id])
    if (child.stdin.writableLength > MOST_WAITING_BYTES) {
      const text = `does not read its stdin: ${MOST_WAITING_BYTES} bytes wait, and further messages were dropped`
      this.#settings.faults.add('reads-no-stdin', this.id, text)
      return
    }
    if (message.src !== this.id) this.#count('messages', 1)
    if (this.#pause !== null) this.#pause.delivered++
    // What is delivered in one turn goes in one write.
    if (child.stdin.writableCorked === 0) {
      child.stdin.cork()
      queueMicrotask(() => child.stdin.uncork())
    }
    child.stdin.write(`${printMessage({ id, ...message })}\n`)
  }

  #line(line: string): void {
    keepLast(this.#stdout, line)
    if (this.#ending) return
    this.#count('lines', 1)
    const { network, faults, machine, answers } = this.#settings
    answers.wrote(this.id, machine.nowUs())
    if (this.#pause !== null && machine.nowUs() - this.#pause.beginUs > WRITTEN_BEFORE_US)
      this.#pause.written++
    const message = parseMessage(line)
    if ('reason' in message) {
      const text = `wrote a line to stdout that is no message: ${message.reason}. The line: ${shown(line)}. Logs belong on stderr`
      faults.add('malformed-message', this.id, text)
      this.#count('malformed', 1)
      return
    }
    // A node may pass a client's request on as it is, so that the other node answers the client.
    if (message.src !== this.id && !isClient(message.src)) {
      const text = `sent a message as ${shown(message.src)}; "src" must be "${this.id}". The line: ${shown(line)}`
      faults.add('wrong-source', this.id, text)
    }
    if (!network.send(message)) {
      const text = `sent a message to ${shown(message.dest)}, which is no node, client or service. The line: ${shown(line)}`
      faults.add('unknown-destination', this.id, text)
    }
  }

  #exited(code: number | null, signal: string | null): void {
    const how = signal === null ? `with exit code ${code}` : `by signal ${signal}`
    this.#settings.network.detach(this.id)
    this.#settings.faults.add('exited', this.id, `ended by itself ${how}.\n${this.lastWords()}`)
  }

  /** Counts what it gets and writes; ends it if it writes too much. */
  #count(what: keyof typeof NO_TRAFFIC, count: number): void {
    if (this.#ending) return
    const nowUs = this.#settings.machine.nowUs()
    if (nowUs - this.#traffic.sinceUs > SECOND_US) this.#traffic = { ...NO_TRAFFIC, sinceUs: nowUs }
    this.#traffic[what] += count
    const { messages, lines, malformed, bytes } = this.#traffic
    const isFlood =
      bytes > MOST_BYTES_PER_SECOND ||
      malformed > MOST_MALFORMED_PER_SECOND ||
      lines > MOST_LINES_PER_SECOND + messages * MOST_LINES_PER_MESSAGE
    if (!isFlood) return
    const text = `wrote ${lines} lines with ${bytes} bytes to stdout within a second, and was ended. Its last line: ${shown(this.#stdout.at(-1) ?? '')}`
    this.#settings.faults.add('floods-stdout', this.id, text)
    void this.kill()
  }

  /** Its last lines on stdout and stderr, for a report. */
  lastWords(): string {
    const last = (name: string, lines: readonly string[]): string =>
      lines.length === 0
        ? `It wrote nothing to ${name}.`
        : `Its last lines on ${name}:\n${lines.map((each) => `    ${each}`).join('\n')}`
    return `${last('stdout', this.#stdout)}\n${last('stderr', this.#stderr)}`
  }
}

function whyNotStarted(error: NodeJS.ErrnoException): string {
  if (error.code === 'EACCES')
    return 'it is not an executable file. Is it a folder, or does it lack `chmod +x`?'
  if (error.code !== 'ENOENT') return error.message
  return 'there is no such program, or its first line (#!) names an interpreter that does not exist'
}

function keepLast(lines: string[], line: string): void {
  lines.push(line.length > SHOWN_CHARACTERS ? `${line.slice(0, SHOWN_CHARACTERS)}…` : line)
  if (lines.length > LAST_LINES) lines.shift()
}

function shown(text: string): string {
  const cut = text.length > SHOWN_CHARACTERS ? `${text.slice(0, SHOWN_CHARACTERS)}…` : text
  return JSON.stringify(cut)
}
