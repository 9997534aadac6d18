/** Every file of the oracles is read, in the right format, with the number of operations its README states. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { OK } from '../../src/history/history.ts'
import { parseHistory } from '../../src/history/read.ts'
import { printHistory } from '../../src/history/write.ts'
import { describeOracles, filesUnder } from './folder.ts'

/** Operations per file from a README's table rows `| file | ops | …`. */
function operationCounts(readme: string): Map<string, number> {
  const rows = readme.matchAll(/^\| ([\w/.-]+\.(?:log|txt|edn)) \| (\d+) \|/gm)
  return new Map([...rows].map(([, file, ops]) => [file, Number(ops)]))
}

for (const folder of ['porcupine', 'knossos']) {
  describeOracles(folder, (path) => {
    const counts = operationCounts(readFileSync(join(path, 'README.md'), 'utf8'))
    it.each(filesUnder(path, /\.(log|txt|edn)$/))('%s', (file) => {
      const history = parseHistory(readFileSync(join(path, file)))
      const format = file.endsWith('.log') ? 'jepsen-log' : 'jepsen-edn'
      expect(history.format).toBe(file.endsWith('etcd_095.log') ? null : format)
      expect(history.problems.filter(({ code }) => code !== 'time-goes-back')).toEqual([])
      expect(history.length).toBe(counts.get(file))
    })
  })
}

describeOracles('awdit', (path) => {
  it.each(filesUnder(path, /\.txt$/))('%s survives a round trip', (file) => {
    const text = readFileSync(join(path, file), 'utf8')
    const history = parseHistory(text)
    expect(history.format).toBe('awdit')
    const events = (lines: string) => lines.split('\n').filter((line) => /^[rw]/.test(line))
    expect(events([...printHistory(history, 'awdit')].join(''))).toEqual(
      events(text).map((line) => line.trim().replace(/\s+/g, ' ')),
    )
  })
})

describeOracles('polysi', (path) => {
  it.each(filesUnder(path, /\.(txt|jsonl\.gz)$/))('%s', (file) => {
    const history = parseHistory(readFileSync(join(path, file)))
    expect(history.format).toBe(file.endsWith('.txt') ? 'polysi' : 'polysi-json')
    expect(history.realTime).toBe(false)
    expect(history.length).toBeGreaterThan(5)
    expect(history.problems).toEqual([])
  })
})

describeOracles('elle-cli', (path) => {
  it.each(filesUnder(path, /\.(edn|json)$/))('%s', (file) => {
    const history = parseHistory(readFileSync(join(path, file)))
    expect(history.format).toBe(file.endsWith('.edn') ? 'jepsen-edn' : 'jepsen-json')
    expect(history.type.includes(OK)).toBe(true)
  })

  it.each(['elle/paper-example', 'elle/rw-register', 'jepsen/counter', 'jepsen/set_full', 'jepsen/bank'])(
    '%s is the same history in EDN and JSON',
    (name) => {
      const [edn, json] = ['edn', 'json'].map((type) =>
        parseHistory(readFileSync(join(path, `${name}.${type}`))),
      )
      expect([...edn.operations()]).toEqual([...json.operations()])
    },
  )
})

describeOracles('maelstrom-runs', (path) => {
  it.each(filesUnder(path, /history\.jsonl\.gz$/))('%s', (file) => {
    const history = parseHistory(readFileSync(join(path, file)))
    expect(history.format).toBe('jepsen-jsonl')
    expect(history.problems.filter(({ code }) => code !== 'time-goes-back')).toEqual([])
  })
})
