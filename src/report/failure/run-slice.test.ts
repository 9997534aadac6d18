import type fs from 'node:fs/promises'
import type http from 'node:http'
import { describe, expect, it } from 'vitest'
import { stepsText } from './steps-text.ts'
import { simulation } from '../../sim/authoring/definition.ts'
import { ThreadExecutor, threadHost } from '../../sim/campaign/thread-host.ts'
import { recordedRun } from '../../failures/recorded-run.ts'

/** A server that appends to a file what it was asked to, a bystander that polls it, and a promise about one key. */
const counted = simulation('counted', {
  processes: {
    store: {
      run(_, node) {
        const { createServer } = node.require('node:http') as typeof http
        const { appendFile, readFile } = node.require('node:fs/promises') as typeof fs
        createServer((request, response) => {
          const file = `/tmp/${request.url!.slice(1)}`
          const work =
            request.method === 'POST' ? appendFile(file, 'x') : readFile(file, 'utf8').catch(() => '')
          void work.then((text) => response.end(text))
        }).listen(80)
      },
    },
    bystander: {
      run: () => void setInterval(() => void fetch('http://store/z').catch(() => {}), 100),
    },
  },
  workload: {
    clients: 2,
    operations: 6,
    spanMs: 2000,
    async run({ operation, rng }) {
      const key = rng.pick(['a', 'b'])
      await operation('add', { key }, () => fetch(`http://store/${key}`, { method: 'POST' }).then(() => null))
      await operation('get', { key }, () => fetch(`http://store/${key}`).then((answer) => answer.text()))
    },
  },
  invariants: {
    'a has fewer than 3': ({ events }) => {
      const { data } = events.last('operation') ?? {}
      return data?.f !== 'get' || data.type !== 'ok' || data.key !== 'a' || String(data.value).length < 3
    },
  },
})

async function record(traceCapacity?: number) {
  const executor = new ThreadExecutor(threadHost({ root: null, hostModules: {}, inline: counted }))
  const job = { simulation: { file: '', name: 'counted' }, level: 'sunny', seed: 2 } as const
  return recordedRun(await executor.record({ ...job, traceCapacity }))
}

/** Node 26 reads and writes a whole file in one job of the thread pool. */
const WHOLE_FILES = Number.parseInt(process.versions.node, 10) >= 26

describe('the slice of a failing simulation', () => {
  it('follows calls, messages and files to the failure, and leaves bystanders out', async () => {
    const run = await record(10_000)
    expect(run.report.result.failure?.title).toBe('a has fewer than 3')
    expect(run.slice.length).toBeLessThan(run.steps.length / 2)
    const kept = run.steps.filter(({ step }) => run.slice.includes(step))
    expect(kept.some(({ what }) => what === (WHOLE_FILES ? 'write a' : 'open /tmp/a'))).toBe(true)
    expect(kept.every(({ actor, what }) => actor !== 'bystander' && !what.includes('/tmp/z'))).toBe(true)
  })

  it('is shown with times, calls, paths and lines, and what was published', async () => {
    const run = await record(10_000)
    const text = stepsText({ kind: 'simulation', run }, { all: false, format: 'text' })
    expect(text).toMatch(
      WHOLE_FILES
        ? /\d +\d\.\d{3}s {2}store +write a +\S+run-slice\.test\.ts:\d+/
        : /\d–\d+ +\d\.\d{3}s {2}store +open, write, close \/tmp\/a +\S+run-slice\.test\.ts:\d+/,
    )
    expect(text).toMatch(/workload +add a …\n/)
    expect(text).toContain('get a → xxx')
    expect(text).toMatch(/← FAILED HERE/)
    expect(text).toMatch(/\d+ steps of \d+: calls, messages, files and boots are followed/)
  })

  it('is of the same run as without a recording', async () => {
    const [recorded, plain] = [await record(10_000), await record()]
    expect(recorded.report.result.digest).toBe(plain.report.result.digest)
    expect(plain.steps).toEqual([])
  })
})
