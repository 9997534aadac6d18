/**
 * What one step of a run was made of, with the user's stacks: which event it was and who scheduled it, and everything
 * that it fed into the run's hash: choices, bytes sent and written. Taken in a run made for that purpose, when two runs
 * of one seed parted at that step; the two accounts, side by side, show where the difference came from.
 */
import { Buffer } from 'node:buffer'
import { max, min } from '../../kernel/arithmetic.ts'
import type { KernelEvent } from '../../kernel/event.ts'
import type { HashObserver } from '../../kernel/hash.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { CapturedStack, programLines } from '../../node/bare.ts'

/** Something that became part of the run. */
export interface Feed {
  /** For people: `sends "…"`, `chooses …`. */
  readonly what: string
  /** Frames of the user's code, innermost first; empty if the tank did it by itself. */
  readonly stack: readonly string[]
}

export interface StepAccount {
  readonly step: number
  readonly timeUs: number
  readonly actor: string
  /** `timer`, `segment`, `fs`, … */
  readonly kind: string
  /** Where the user's code scheduled it; empty if the tank did. */
  readonly scheduledBy: readonly string[]
  readonly feeds: readonly Feed[]
  /** Calls until then that drew randomness which no seed decides. */
  readonly unseeded: readonly string[]
}

const MOST_FEEDS = 200
const STACK_DEPTH = 60
const SHOWN_BYTES = 60

/** Watches a kernel until a step is over and accounts for it. The kernel must record choices. */
export class StepAccountant implements HashObserver {
  account: StepAccount | null = null
  private readonly kernel: Kernel
  private readonly step: number
  private readonly feeds: Feed[] = []

  constructor(kernel: Kernel, step: number) {
    this.kernel = kernel
    this.step = step
    kernel.originOf = stackHere
    if (step === 1) kernel.hash.observer = this
  }

  /** To be called after every step; true when the account is taken. */
  after(event: KernelEvent): boolean {
    const { kernel, step } = this
    if (kernel.step === step - 1) kernel.hash.observer = this
    if (kernel.step !== step) return false
    kernel.hash.observer = null
    const { kind, actor, origin } = event
    const timeUs = kernel.trace.row(step)?.time ?? kernel.now
    const scheduledBy = origin instanceof CapturedStack ? programLines(origin.text) : []
    const unseeded = [...kernel.unseeded]
    this.account = { step, timeUs, actor: actor.name, kind, scheduledBy, feeds: this.named(), unseeded }
    return true
  }

  choice(): void {
    this.note(CHOICE)
  }

  number(value: number): void {
    this.note(`number ${value}`)
  }

  bytes(act: string, bytes: Uint8Array): void {
    this.note(`${act} ${bytesText(bytes)}`)
  }

  text(act: string, text: string): void {
    const more = text.length > SHOWN_BYTES ? ` … (${text.length} characters)` : ''
    this.note(`${act} ${JSON.stringify(text.slice(0, SHOWN_BYTES))}${more}`)
  }

  private note(what: string): void {
    if (this.feeds.length >= MOST_FEEDS) return
    this.feeds.push({ what, stack: programLines(stackHere().text) })
  }

  /** Choices have names, which are known when the step is over. */
  private named(): Feed[] {
    const made = this.kernel.choices.made.filter((choice) => choice.step === this.step)
    let next = 0
    return this.feeds.map((feed) => {
      if (feed.what !== CHOICE) return feed
      const choice = made[next++]
      if (choice === undefined) return feed
      const { entity, label, index, value, n } = choice
      return { ...feed, what: `chooses ${value} of ${n} for ${entity} ${label} #${index}` }
    })
  }
}

const CHOICE = 'makes a choice'

function stackHere(): CapturedStack {
  return new CapturedStack(STACK_DEPTH, stackHere)
}

function bytesText(bytes: Uint8Array): string {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, min(bytes.byteLength, SHOWN_BYTES))
  const more = bytes.byteLength > SHOWN_BYTES ? ` … (${bytes.byteLength} bytes)` : ''
  return `${JSON.stringify(text.toString('utf8'))}${more}`
}

/** Where two accounts of one step differ. */
export interface AccountDifference {
  /** `event`: another event, or at another time. `feed`: the same event did something else. */
  readonly kind: 'event' | 'feed'
  /** What each of the runs did, and the user's stack there. */
  readonly runs: readonly [Feed, Feed]
  /** Calls before it that drew randomness which no seed decides. */
  readonly unseeded: readonly string[]
}

/** Null if they agree. */
export function compareAccounts(a: StepAccount, b: StepAccount): AccountDifference | null {
  const { unseeded } = a
  if (a.kind !== b.kind || a.actor !== b.actor || a.timeUs !== b.timeUs)
    return { kind: 'event', runs: [eventFeed(a), eventFeed(b)], unseeded }
  const length = max(a.feeds.length, b.feeds.length)
  for (let i = 0; i < length; i++) {
    const [x, y] = [a.feeds[i] ?? NOTHING, b.feeds[i] ?? NOTHING]
    if (x.what !== y.what) return { kind: 'feed', runs: [x, y], unseeded }
  }
  return null
}

const NOTHING: Feed = { what: 'does nothing more', stack: [] }

function eventFeed({ actor, kind, timeUs, scheduledBy }: StepAccount): Feed {
  return { what: `${kind} of ${actor} at ${(timeUs / 1_000_000).toFixed(6)}s`, stack: scheduledBy }
}
