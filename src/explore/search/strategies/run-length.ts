/**
 * The length of runs, learned from the runs themselves. PCT's guarantee is over k, the number of steps with a decision. A
 * guess that is too long would waste change points, so k is the length of the longest run so far, and the first run uses a
 * small guess.
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
