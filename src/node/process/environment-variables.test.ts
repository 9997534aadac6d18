import { describe, expect, it } from 'vitest'
import { runOne } from './programs.test-support.ts'

describe('process.env', () => {
  it('can be cloned, alone and inside of a message', async () => {
    const { stdout, stderr } = await runOne(({ process, require, globalThis: { structuredClone } }) => {
      const { MessageChannel } = require('worker_threads')
      process.env.COLOUR = 'red'
      const { port1, port2 } = new MessageChannel()
      port2.once('message', ({ env }: { env: Record<string, string> }) => {
        process.stdout.write(`${structuredClone(process.env).COLOUR} ${env.COLOUR}`)
      })
      port1.postMessage({ env: process.env })
    })
    expect(stderr).toBe('')
    expect(stdout).toBe('red red')
  })

  it('has no variable without a name', async () => {
    const { stdout } = await runOne(({ process }) => {
      process.env[''] = 'x'
      process.stdout.write(`${process.env['']} ${'' in process.env}`)
    })
    expect(stdout).toBe('undefined false')
  })
})
