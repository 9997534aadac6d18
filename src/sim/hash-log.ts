/** The running hash after every step of a run, for the comparison of two runs. */
export class HashLog {
  private hashes = new Uint32Array(4096)
  private length = 0

  add(hash: number): void {
    if (this.length === this.hashes.length) {
      const grown = new Uint32Array(this.hashes.length * 2)
      grown.set(this.hashes)
      this.hashes = grown
    }
    this.hashes[this.length++] = hash
  }

  /** A copy that may be sent to another thread. */
  values(): Uint32Array {
    return this.hashes.slice(0, this.length)
  }
}
