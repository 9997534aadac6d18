/** AWDIT's own test histories: which of read committed, read atomic and causal consistency each satisfies. */
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { causal, readAtomic, readCommitted } from '../../src/checkers/transactions/isolation.ts'
import { parseHistory } from '../../src/history/index.ts'
import { describeOracles, filesUnder, readText } from './folder.ts'

/** How many of the three levels hold, by folder. */
const LEVELS: Readonly<Record<string, number>> = { none: 0, 'read-committed': 1, 'read-atomic': 2, causal: 3 }

describeOracles('awdit', (path) => {
  const files = filesUnder(path, /\.txt$/)

  it('has 22 histories', () => expect(files).toHaveLength(22))

  it.each(files)('%s', (file) => {
    const history = parseHistory(readText(join(path, file)))
    const held = LEVELS[file.split('/')[0]]
    const verdicts = [readCommitted, readAtomic, causal].map((check) => check(history).verdict)
    expect(verdicts).toEqual([0, 1, 2].map((level) => (level < held ? 'valid' : 'invalid')))
  })
})
