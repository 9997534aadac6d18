/** A directed link whose weather is a rule of a packet filter: what changes is applied by the network it belongs to. */
import { Link, type LinkWeather } from '../../proxy/link.ts'

export class PacketLink extends Link {
  readonly #changed: (link: PacketLink) => void
  readonly #reset: (link: PacketLink) => number

  constructor(
    from: string,
    to: string,
    changed: (link: PacketLink) => void,
    reset: (link: PacketLink) => number,
  ) {
    super(from, to)
    this.#changed = changed
    this.#reset = reset
  }

  override change(weather: LinkWeather): void {
    super.change(weather)
    this.#changed(this)
  }

  override reset(): number {
    const broken = this.#reset(this)
    this.counts.resets += broken
    return broken
  }
}
