/**
 * What one step of a run was made of, with the user's stacks: which event it was and who scheduled it, and everything
 * that it fed into the run's hash: choices, bytes sent and written. Taken in a run made for that purpose, when two runs
 * of one seed parted at that step; the two accounts, side by side, show where the difference came from.
 */
import { Buffer } from 'node:buffer'
import { max, min } from '../kernel/arithmetic.ts'
import type { KernelEvent } from '../kernel/event.ts'
import { Kernel } from '../kernel/kernel.ts'
import { RunHash } from '../kernel/hash.ts'
import { userFrames } from './user-stack.ts'

/** Something that became part of the run. */
export interface Feed {
  /** For people: `sends "…"`, `chooses …`. */
  readonly what: string
  /** Frames of the user's code, innermost first; empty where the tank did it by itself. */
  readonly stack: readonly string[]
}

export interface StepAccount {
  readonly step: number
  readonly timeUs: number
  readonly actor: string
  /** `timer`, `segment`, `fs`, … */
  readonly kind: string
  /** Where the user's code scheduled it; empty where the tank did. */
  readonly scheduledBy: readonly string[]
  readonly feeds: readonly Feed[]
}

const MOST_FEEDS = 200
const STACK_DEPTH = 60
const SHOWN_BYTES = 60

/** Watches a kernel until a step is over and accounts for it. The kernel must record choices. */
export class StepAccountant {
  account: StepAccount | null = null
  private readonly kernel: Kernel
  private readonly step: number
  private readonly scheduled = new WeakMap<KernelEvent, { readonly stack?: string }>()
  private readonly feeds: Feed[] = []

  constructor(kernel: Kernel, step: number) {
    this.kernel = kernel
    this.step = step
    kernel.arm = (event, time, latenessUs) => {
      this.scheduled.set(event, stackHere())
      Kernel.prototype.arm.call(kernel, event, time, latenessUs)
    }
    if (step === 1) this.listen()
  }

  /** To be called after every step; true when the account is taken. */
  after(event: KernelEvent): boolean {
    const { kernel, step } = this
    if (kernel.step === step - 1) this.listen()
    if (kernel.step !== step) return false
    const { kind, actor } = event
    const timeUs = kernel.trace.row(step)?.time ?? kernel.now
    const scheduledBy = userFrames(this.scheduled.get(event)?.stack ?? '')
    this.account = { step, timeUs, actor: actor.name, kind, scheduledBy, feeds: this.named() }
    return true
  }

  private listen(): void {
    const { hash } = this.kernel
    let nested = false
    hash.add = (value) => {
      if (!nested) this.note(`number ${value}`)
      RunHash.prototype.add.call(hash, value)
    }
    hash.addBytes = (bytes) => {
      this.note(bytesText(bytes))
      nested = true
      RunHash.prototype.addBytes.call(hash, bytes)
      nested = false
    }
  }

  private note(what: string): void {
    if (this.feeds.length >= MOST_FEEDS) return
    const stack = stackHere().stack ?? ''
    const verb = what.startsWith('number')
      ? stack.includes('ChoiceStream')
        ? CHOICE
        : what
      : `${stack.includes('writeInode') ? 'writes' : 'sends'} ${what}`
    this.feeds.push({ what: verb, stack: userFrames(stack) })
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

function stackHere(): { readonly stack?: string } {
  const holder: { stack?: string } = {}
  const limit = Error.stackTraceLimit
  Error.stackTraceLimit = STACK_DEPTH
  Error.captureStackTrace(holder, stackHere)
  Error.stackTraceLimit = limit
  return holder
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
}

/** Null where they agree. */
export function compareAccounts(a: StepAccount, b: StepAccount): AccountDifference | null {
  if (a.kind !== b.kind || a.actor !== b.actor || a.timeUs !== b.timeUs)
    return { kind: 'event', runs: [eventFeed(a), eventFeed(b)] }
  const length = max(a.feeds.length, b.feeds.length)
  for (let i = 0; i < length; i++) {
    const [x, y] = [a.feeds[i] ?? NOTHING, b.feeds[i] ?? NOTHING]
    if (x.what !== y.what) return { kind: 'feed', runs: [x, y] }
  }
  return null
}

const NOTHING: Feed = { what: 'does nothing more', stack: [] }

function eventFeed({ actor, kind, timeUs, scheduledBy }: StepAccount): Feed {
  return { what: `${kind} of ${actor} at ${(timeUs / 1_000_000).toFixed(6)}s`, stack: scheduledBy }
}
