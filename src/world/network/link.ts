/**
 * A link: one direction between two hosts. It says when a packet handed to it arrives, or that it never does. Its
 * configuration is plain data that a nemesis may change while the world runs; a packet's fate is decided when it is sent,
 * so what is already on the way still arrives after a cut.
 *
 * A *cut* either drops (a cable pulled: transports retransmit and give up at last) or defers (a switch that buffers:
 * what was sent arrives after the cut heals). Cuts are counted, so that two nemeses may cut one link independently.
 *
 * A link without jitter, limits or faults is *plain*: it asks for no choice. TCP does not see duplication, and sees
 * reordering as delay; UDP sees both.
 */
import { ceil, floor, max } from '../../kernel/arithmetic.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import type { ChoiceStream, Choices } from '../../kernel/choices.ts'
import { drawUs, maximumUs, minimumUs, rangeOf, type Distribution } from '../../kernel/distribution.ts'
import type { Evidence } from '../evidence.ts'

/** The treatment of packets by a link. Rates are in parts per million of packets. */
export interface LinkConfig {
  readonly latency: Distribution
  /** Added to every packet's latency: one slow pair of hosts. */
  readonly extraLatencyUs: number
  /** Bytes per second; 0 is without limit. */
  readonly bandwidthBytesPerS: number
  readonly lossPpm: number
  /** UDP only: the packet arrives twice. */
  readonly duplicatePpm: number
  /** UDP only: an earlier datagram of the same pair of hosts arrives again, long after its time. */
  readonly replayPpm: number
  /** The packet is held back by a delay of `reorderDelay`, so that later ones overtake it. */
  readonly reorderPpm: number
  readonly reorderDelay: Distribution
  /** One bit of the packet is flipped on the way, and no checksum notices. */
  readonly corruptPpm: number
  /** A letter or digit is replaced by another one, so that text stays text: what a link that lies would do. */
  readonly forgePpm: number
  /** A packet takes longer by `spikeUs`. */
  readonly spikePpm: number
  readonly spikeUs: number
  /** TCP only: what was sent in one piece is received in two. */
  readonly splitPpm: number
  /** How late a strategy may let a packet arrive, in explorations. */
  readonly latenessUs: number
}

export const PLAIN_LINK: LinkConfig = {
  latency: { kind: 'constant', us: 250 },
  extraLatencyUs: 0,
  bandwidthBytesPerS: 0,
  lossPpm: 0,
  duplicatePpm: 0,
  replayPpm: 0,
  reorderPpm: 0,
  reorderDelay: { kind: 'uniform', minUs: 100, maxUs: 10_000 },
  corruptPpm: 0,
  forgePpm: 0,
  spikePpm: 0,
  spikeUs: 0,
  splitPpm: 0,
  latenessUs: 1_000,
}

/** Inside one host: fast, and by default free of faults and choices. */
export const LOOPBACK_LINK: LinkConfig = { ...PLAIN_LINK, latency: { kind: 'constant', us: 10 } }

export type CutMode = 'drop' | 'defer'

/** Answers of {@link Link.send} that are not arrival times. */
export const LOST = -1
export const DEFERRED = -2

/** The choices of one user of a link (a direction of a connection, the datagrams of a pair), made when first needed. */
export class LinkChoices {
  private readonly choices: Choices
  private readonly entity: string
  private readonly streams = new Map<string, ChoiceStream>()

  constructor(choices: Choices, entity: string) {
    this.choices = choices
    this.entity = entity
  }

  stream(label: string): ChoiceStream {
    let stream = this.streams.get(label)
    if (stream === undefined) this.streams.set(label, (stream = this.choices.stream(this.entity, label)))
    return stream
  }
}

/** Counters of a link. */
export interface LinkCounts {
  sent: number
  lost: number
  cut: number
  deferred: number
  duplicated: number
  replayed: number
  reordered: number
  corrupted: number
  forged: number
  spiked: number
  split: number
}

export class Link {
  readonly from: string
  readonly to: string
  readonly counts: LinkCounts = {
    sent: 0,
    lost: 0,
    cut: 0,
    deferred: 0,
    duplicated: 0,
    replayed: 0,
    reordered: 0,
    corrupted: 0,
    forged: 0,
    spiked: 0,
    split: 0,
  }
  /** The least time a packet takes: how long an acknowledgement is on its way. */
  minimumLatencyUs = 0
  private readonly kernel: Kernel
  private readonly evidence: Evidence
  private readonly base: LinkConfig
  private current: LinkConfig
  private plain = true
  private plainUs = 0
  private drops = 0
  private defers = 0
  /** Until when earlier packets occupy the bandwidth. */
  private busyUntil = 0
  private readonly waiting: (() => void)[] = []
  private connections = 0

  constructor(kernel: Kernel, evidence: Evidence, from: string, to: string, config: LinkConfig) {
    this.kernel = kernel
    this.evidence = evidence
    this.from = from
    this.to = to
    this.base = config
    this.current = config
    this.configure(config)
  }

  get config(): LinkConfig {
    return this.current
  }

  /** Changes the link; what is not named stays as it is. */
  configure(changes: Partial<LinkConfig>): void {
    const config = { ...this.current, ...changes }
    this.current = config
    this.minimumLatencyUs = minimumUs(config.latency) + config.extraLatencyUs
    this.refresh()
  }

  /** Back to the configuration it was made with. Cuts stay. */
  restore(): void {
    this.configure(this.base)
  }

  /** The number of the next connection that is opened over this link: connections are named by it. */
  nextConnection(): number {
    return this.connections++
  }

  /** Whether nothing sent now arrives now: it is lost, or waits. */
  get isCut(): boolean {
    return this.drops > 0 || this.defers > 0
  }

  cut(mode: CutMode): void {
    if (mode === 'drop') this.drops++
    else this.defers++
    this.refresh()
  }

  heal(mode: CutMode): void {
    if (mode === 'drop') this.drops = max(0, this.drops - 1)
    else this.defers = max(0, this.defers - 1)
    this.refresh()
    if (this.isCut) return
    for (const resend of this.waiting.splice(0)) resend()
  }

  /** Runs something when the link is no longer cut: the packets a deferring cut holds back. */
  whenHealed(resend: () => void): void {
    this.waiting.push(resend)
  }

  /** The time at which a packet sent now arrives, or {@link LOST}, or {@link DEFERRED}. */
  send(lengthBytes: number, choices: LinkChoices): number {
    this.counts.sent++
    return this.plain ? this.kernel.now + this.plainUs : this.sendThroughFaults(lengthBytes, choices)
  }

  /** Whether an acknowledgement sent now gets through; they are small and cumulative, so only a cut stops them. */
  get passes(): boolean {
    return this.plain || !this.isCut
  }

  /** Cut, but what is sent now arrives after all when the cut heals. */
  get defersOnly(): boolean {
    return this.defers > 0 && this.drops === 0
  }

  loseAcknowledgement(): void {
    this.counts.cut++
    this.report('packet-cut')
  }

  /** Asks whether a datagram is duplicated. */
  duplicates(choices: LinkChoices): boolean {
    const { duplicatePpm } = this.current
    if (duplicatePpm === 0 || !choices.stream('duplicate').chance(duplicatePpm)) return false
    this.counts.duplicated++
    this.report('packet-duplicated')
    return true
  }

  /** Asks which of the last datagrams, counted from the newest, is replayed now; −1 is none. */
  replays(remembered: number, choices: LinkChoices): number {
    const { replayPpm } = this.current
    if (replayPpm === 0 || remembered === 0 || !choices.stream('replay').chance(replayPpm)) return -1
    this.counts.replayed++
    this.report('packet-replayed')
    return choices.stream('replay-which').below(REPLAY_MEMORY) % remembered
  }

  /** A damaged copy of the bytes, or the bytes themselves. */
  damage(bytes: Uint8Array, choices: LinkChoices): Uint8Array {
    const { corruptPpm, forgePpm } = this.current
    if (forgePpm > 0 && choices.stream('forge').chance(forgePpm)) return this.forge(bytes, choices)
    if (corruptPpm === 0 || bytes.length === 0 || !choices.stream('corrupt').chance(corruptPpm)) return bytes
    const place = choices.stream('corrupt-place').below(MILLION)
    const damaged = bytes.slice()
    damaged[floor((place * bytes.length) / MILLION)] ^= 1 << (place & 7)
    this.counts.corrupted++
    this.report('packet-corrupted')
    return damaged
  }

  /** A copy in which one letter or digit is another one of its kind; the bytes themselves if they have none. */
  private forge(bytes: Uint8Array, choices: LinkChoices): Uint8Array {
    const place = choices.stream('forge-place').below(MILLION)
    const from = floor((place * bytes.length) / MILLION)
    for (let i = 0; i < bytes.length; i++) {
      const at = (from + i) % bytes.length
      const other = anotherOfItsKind(bytes[at])
      if (other === bytes[at]) continue
      const forged = bytes.slice()
      forged[at] = other
      this.counts.forged++
      this.report('packet-forged')
      return forged
    }
    return bytes
  }

  /**
   * How many of `length` bytes go into the next segment. The choices are among a few kinds and of a fraction, never a
   * number whose range is the length: encrypted lengths differ from run to run.
   */
  segment(length: number, choices: LinkChoices): number {
    const { splitPpm } = this.current
    if (splitPpm === 0) return length
    const each = floor(splitPpm / 4)
    const kind = choices.stream('segment').weighted([MILLION - 4 * each, each, each, each, each])
    const size =
      kind === 1 ? this.somewhere(length, choices) : [length, 0, 1, length - 1, ETHERNET_SEGMENT][kind]
    if (size < 1 || size >= length) return length
    this.counts.split++
    this.report('segment-split')
    return size
  }

  /** Any place in a piece; the simplest is its middle. */
  private somewhere(length: number, choices: LinkChoices): number {
    const place = choices.stream('segment-place').below(MILLION)
    return 1 + floor((((place + MILLION / 2) % MILLION) * (length - 1)) / MILLION)
  }

  private sendThroughFaults(lengthBytes: number, choices: LinkChoices): number {
    const config = this.current
    if (this.drops > 0) {
      this.counts.cut++
      this.report('packet-cut')
      return LOST
    }
    if (this.defers > 0) {
      this.counts.deferred++
      this.report('packet-deferred')
      return DEFERRED
    }
    if (config.lossPpm > 0 && choices.stream('loss').chance(config.lossPpm)) {
      this.counts.lost++
      this.report('packet-lost')
      return LOST
    }
    let departure = this.kernel.now
    if (config.bandwidthBytesPerS > 0) {
      if (this.busyUntil > departure) departure = this.busyUntil
      departure += ceil((lengthBytes * MILLION) / config.bandwidthBytesPerS)
      this.busyUntil = departure
    }
    let latencyUs = config.extraLatencyUs
    latencyUs +=
      rangeOf(config.latency) === 1
        ? minimumUs(config.latency)
        : drawUs(choices.stream('latency'), config.latency)
    if (config.spikePpm > 0 && choices.stream('spike').chance(config.spikePpm)) {
      latencyUs += config.spikeUs
      this.counts.spiked++
      this.report('packet-spiked')
    }
    if (config.reorderPpm > 0 && choices.stream('reorder').chance(config.reorderPpm)) {
      latencyUs += drawUs(choices.stream('reorder-delay'), config.reorderDelay)
      this.counts.reordered++
      this.report('packet-reordered')
    }
    return departure + latencyUs
  }

  private report(kind: string): void {
    this.evidence.report(kind, { from: this.from, to: this.to })
  }

  private refresh(): void {
    const config = this.current
    this.plainUs = this.minimumLatencyUs
    this.plain =
      !this.isCut &&
      rangeOf(config.latency) === 1 &&
      config.bandwidthBytesPerS === 0 &&
      config.lossPpm === 0 &&
      config.spikePpm === 0 &&
      config.reorderPpm === 0
  }

  /** The most a packet takes by latency alone. */
  get maximumLatencyUs(): number {
    return maximumUs(this.current.latency) + this.current.extraLatencyUs
  }
}

/** The next digit or letter, from the last to the first; anything else is itself. */
function anotherOfItsKind(byte: number): number {
  for (const [first, last] of [
    [48, 57],
    [65, 90],
    [97, 122],
  ])
    if (byte >= first && byte <= last) return byte === last ? first : byte + 1
  return byte
}

const MILLION = 1_000_000
/** How many datagrams a link that replays remembers. */
export const REPLAY_MEMORY = 8
/** The payload of a TCP segment on an Ethernet without offloading. */
const ETHERNET_SEGMENT = 1_448
