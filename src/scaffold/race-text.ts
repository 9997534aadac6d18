/** The text of a first race: two tasks that read, change and write a file, and the promise that both are kept. */

export interface RaceChoices {
  readonly runner: 'vitest' | 'node:test'
  /** What is asked of both tasks. */
  readonly title: string
}

export function raceText({ runner, title }: RaceChoices): string {
  const command = runner === 'vitest' ? 'npx vitest run' : 'node --test'
  const module = runner === 'vitest' ? 'wavetank/vitest' : 'wavetank/node-test'
  return `// Run with: ${command}
// Replace Counter by your own code: import it here, and let two tasks use it at once.
import { readFile, writeFile } from 'node:fs/promises'
import { race } from '${module}'

class Counter {
  file = '/tmp/counter'
  tail = Promise.resolve()

  async read() {
    return Number(await readFile(this.file, 'utf8'))
  }

  // One call at a time: without the queue, two calls read the same value and one of them is lost.
  add(n) {
    this.tail = this.tail.then(async () => writeFile(this.file, String((await this.read()) + n)))
    return this.tail
  }
}

race('${title.replace(/[\\']/g, '\\$&')}', async (t) => {
  const counter = new Counter()
  await writeFile(counter.file, '0')
  await Promise.all([t.task('a', () => counter.add(1)), t.task('b', () => counter.add(1))])
  t.assert((await counter.read()) === 2, 'an addition was lost')
})
`
}
