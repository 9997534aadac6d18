import { describe, expect, it } from 'vitest'
import type { ProcessFunction } from '../process/program-options.ts'
import { runOne } from '../process/programs.test-support.ts'

/** Whatever shows the real clock, real randomness or the real heap differs between two runs of these. */
const VALUES: Readonly<Record<string, (context: Parameters<ProcessFunction>[0]) => unknown>> = {
  'an event’s time stamp': ({ globalThis: { Event } }) => new Event('x').timeStamp,
  'a file’s time': ({ globalThis: { File } }) => new File(['a'], 'a').lastModified,
  'a file of node:buffer': ({ require }) => new (require('buffer').File)(['a'], 'a').lastModified,
  'an object URL': ({ globalThis: { Blob, URL } }) => URL.createObjectURL(new Blob(['a'])),
  'a secret key': ({ require }) =>
    require('crypto').generateKeySync('hmac', { length: 64 }).export().toString('hex'),
  'heap figures': ({ require }) => [
    require('v8').getHeapStatistics(),
    require('v8').getHeapCodeStatistics(),
    require('v8').getHeapSpaceStatistics(),
  ],
  'memory and CPU': ({ process }) => [process.memoryUsage(), process.cpuUsage(), process.resourceUsage()],
  clocks: ({ process, globalThis: { Date, performance } }) => [
    Date.now(),
    performance.now(),
    performance.timeOrigin,
    process.hrtime(),
    process.uptime(),
  ],
  randomness: ({ require, globalThis: { Math, crypto } }) => [
    Math.random(),
    crypto.randomUUID(),
    require('crypto').randomBytes(8).toString('hex'),
    require('crypto').randomInt(1e9),
  ],
}

describe('the same program shows the same', () => {
  it.each(Object.keys(VALUES))('%s', async (name) => {
    const program: ProcessFunction = (context) => {
      context.process.stdout.write(JSON.stringify(VALUES[name](context)))
    }
    const { stdout, stderr } = await runOne(program)
    expect(stderr).toBe('')
    expect(stdout).not.toBe('')
    expect((await runOne(program)).stdout).toBe(stdout)
  })

  it('and global files are those of node:buffer', async () => {
    const { stdout } = await runOne(({ require, process, globalThis: { Blob, File } }) => {
      const file = new File(['a'], 'a')
      process.stdout.write(`${require('buffer').File === File} ${file instanceof Blob}`)
    })
    expect(stdout).toBe('true true')
  })
})
