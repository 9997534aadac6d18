/** A queue with O(1) ends that keeps its array: what streams and links put packets and acknowledgements in. */
export class Fifo<T> {
  private items: (T | undefined)[] = []
  private head = 0

  get length(): number {
    return this.items.length - this.head
  }

  push(item: T): void {
    this.items.push(item)
  }

  first(): T | undefined {
    return this.items[this.head]
  }

  shift(): T | undefined {
    if (this.head === this.items.length) return undefined
    const item = this.items[this.head]
    this.items[this.head++] = undefined
    if (this.head === this.items.length) {
      this.items.length = 0
      this.head = 0
    } else if (this.head === COMPACT) {
      this.items = this.items.slice(COMPACT)
      this.head = 0
    }
    return item
  }

  /** Replaces the first item: what is left of it after a part was taken. */
  replaceFirst(item: T): void {
    this.items[this.head] = item
  }

  *values(): IterableIterator<T> {
    for (let i = this.head; i < this.items.length; i++) yield this.items[i]!
  }

  clear(): void {
    this.items.length = 0
    this.head = 0
  }
}

const COMPACT = 1024
