/**
 * How long runs are, learned from the runs themselves. PCT's guarantee is over k, the number of steps at which there was
 * something to decide; spreading its change points over a guess that is too long wastes them, so k is the longest of the
 * runs seen so far, and the first run uses a small guess.
 */
const FIRST_GUESS = 20

export class RunLength {
  private longest = 0

  get estimate(): number {
    return this.longest === 0 ? FIRST_GUESS : this.longest
  }

  learn(contested: number): void {
    if (contested > this.longest) this.longest = contested
  }
}
