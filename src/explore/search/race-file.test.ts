/** Races in files: what they find, and what users get wrong, each of which has an answer of its own. */
import { once } from 'node:events'
import { existsSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { afterAll, describe, expect, it } from 'vitest'
import type { RaceFailure } from '../finding/failure.ts'
import type { ExploreOptions } from './options.ts'
import type { Tank } from './race-file.ts'
import { RaceFolder } from './race-folder.test-support.ts'

const RACES = `import { race } from 'wavetank/vitest'
import * as host from 'host-module'

race('never awaits', (t) => {
  t.assert(1 + 1 === 2)
})

race('never ends', async () => {
  for (;;) await new Promise((resolve) => setTimeout(resolve, 1))
})

race('takes ten seconds', () => new Promise((resolve) => setTimeout(resolve, 10_000)))

race('waits forever', () => new Promise(() => {}))

let runs = 0
globalThis.leaked = (globalThis.leaked ?? 0) + 1
race('state of the module is fresh', (t) => {
  t.assert(++runs === 1, \`run \${runs} of one module\`)
  t.assert(globalThis.leaked === 1, \`loaded \${globalThis.leaked} times into one world\`)
})

race('exits', () => process.exit(3))

race('changes what all programs share', (t) => {
  t.assert(Array.prototype.leakedByARace === undefined, 'it is still there')
  Array.prototype.leakedByARace = true
})

race('changes what all programs share in some schedules', async (t) => {
  t.assert(Array.prototype.leakedNowAndThen === undefined, 'it is still there')
  const order = []
  const note = (name) => t.task(name, async () => {
    await t.point('here')
    order.push(name)
  })
  await Promise.all(['a', 'b', 'c'].map(note))
  if (order.join('') === 'cba') Array.prototype.leakedNowAndThen = true
})

race('writes a real file', () => host.writeRealFile())

race('connects for real', () => host.connectForReal())
`

const ONE_TITLE = `import { race } from 'wavetank/vitest'

race('twice', () => {})
race('twice', () => {})
`

const DEPOSITS = `import { readFile, writeFile } from 'node:fs/promises'
import { race } from 'wavetank/vitest'

race('two deposits are both kept', async (t) => {
  await writeFile('/tmp/balance', '0')
  const balance = async () => Number(await readFile('/tmp/balance', 'utf8'))
  const deposit = async () => writeFile('/tmp/balance', String((await balance()) + 1))
  await Promise.all([t.task('a', deposit), t.task('b', deposit)])
  t.assert((await balance()) === 2, 'a deposit was lost')
})
`

/** A module of the host's inside the world, as a test runner's own are: what it does is done outside. */
const HOST_MODULE = {
  writeRealFile: () => writeFileSync(`${tmpdir()}/wavetank-must-not-write-this`, 'x'),
  connectForReal: () => new Promise((resolve) => connect(9, '127.0.0.1').on('error', resolve)),
}

class HostingFolder extends RaceFolder {
  override tank(file: string): Tank {
    const tank = super.tank(file)
    return { ...tank, hostModules: { ...tank.hostModules, 'host-module': HOST_MODULE } }
  }
}

const folder = new HostingFolder({
  'bad-input.race.mjs': RACES,
  'one-title.race.mjs': ONE_TITLE,
  'deposits.race.mjs': DEPOSITS,
})
afterAll(() => folder.remove())

const hold = (title: string, options: ExploreOptions = {}, file = 'bad-input') =>
  folder.hold(`${file}.race.mjs`, title, { iterations: 5, ...options })

async function failureOf(title: string, options?: ExploreOptions): Promise<RaceFailure> {
  return (await folder.find('bad-input.race.mjs', title, { iterations: 5, ...options })).failure
}

describe('a race', () => {
  it('that loses an update through files is found', async () => {
    const { failure } = await folder.find('deposits.race.mjs', 'two deposits are both kept')
    expect(failure.message).toBe('a deposit was lost')
  })

  it('that never awaits holds in its one schedule', async () => {
    expect((await hold('never awaits')).iterations).toBe(5)
  })

  it('that never ends is stopped at the step limit', async () => {
    const { category, message } = await failureOf('never ends', { maxSteps: 200 })
    expect(category).toBe('step-limit')
    expect(message).toMatch(/^not done after 200 steps: main waits for /)
  })

  it('that takes longer than it may is stopped', async () => {
    const { category, message } = await failureOf('takes ten seconds', { timeoutVirtualMs: 5_000 })
    expect(category).toBe('time-limit')
    expect(message).toMatch(/^not done after 5000 ms: main waits for /)
    const options = { timeoutVirtualMs: 12_000, latenessVirtualMs: 1_000 }
    expect((await hold('takes ten seconds', options)).iterations).toBe(5)
  })

  it('that waits forever is a deadlock, not a time limit', async () => {
    expect((await failureOf('waits forever', { timeoutVirtualMs: 5_000 })).category).toBe('deadlock')
  })

  it('that waits forever is a deadlock', async () => {
    expect((await failureOf('waits forever')).category).toBe('deadlock')
  })

  it('that exits says so', async () => {
    expect((await failureOf('exits')).message).toMatch(/the process ended: exit code 3/)
  })

  it('has fresh modules and globals in every schedule', async () => {
    expect((await hold('state of the module is fresh')).iterations).toBe(5)
  })

  it('whose title is used twice is refused', async () => {
    await expect(hold('twice', {}, 'one-title')).rejects.toThrow(/two races of one file are called "twice"/)
  })

  it('whose title is not there is refused with those that are', async () => {
    await expect(hold('thrice')).rejects.toThrow(/no race called "thrice"; it declares "never awaits"/)
  })

  it('that changes what all programs share is warned of, and its change undone', async () => {
    const warned = once(process, 'warning') as Promise<[Error & { code: string }]>
    expect((await hold('changes what all programs share')).iterations).toBe(5)
    const [{ message, code }] = await warned
    expect(code).toBe('WAVETANK_LEAK')
    expect(message).toContain('Array.prototype.leakedByARace')
    expect('leakedByARace' in Array.prototype).toBe(false)
  })

  it('that does so in some schedules is explored as if it never had', async () => {
    const warned = once(process, 'warning') as Promise<[Error]>
    expect(
      (await hold('changes what all programs share in some schedules', { iterations: 60 })).iterations,
    ).toBe(60)
    expect((await warned)[0].message).toContain('Array.prototype.leakedNowAndThen')
    expect('leakedNowAndThen' in Array.prototype).toBe(false)
  })

  it.each(['writes a real file', 'connects for real'])(
    'that %s outside of its world fails with ERR_WAVETANK_ESCAPE',
    async (title) => {
      const { key, message } = await failureOf(title)
      expect(key).toMatch(/^(exception|uncaught) ERR_WAVETANK_ESCAPE: /)
      expect(message).toMatch(/process test reached (fs|tcp_wrap)\..* of the real machine/)
      expect(existsSync(`${tmpdir()}/wavetank-must-not-write-this`)).toBe(false)
    },
  )
})

describe('modules of a race', () => {
  const modules = new RaceFolder({
    'stub.mjs': "export const answer = 'from the stub'\n",
    'external.race.mjs': `import { race } from 'wavetank/vitest'
race('uses a database', async (t) => {
  const { answer } = await import('native-database')
  t.assert(answer === 'from the stub', answer)
})
`,
    'node_modules/hashing/package.json': '{ "name": "hashing", "main": "index.js" }',
    'node_modules/hashing/index.js': "module.exports = require('./hashing.node')\n",
    'node_modules/hashing/hashing.node': 'no addon at all',
    'http2.race.mjs': `import { race } from 'wavetank/vitest'
import http2 from 'node:http2'
race('asks by HTTP/2', async (t) => {
  const server = http2.createServer((request, response) => response.end('answer'))
  await new Promise((done) => server.listen(80, done))
  const client = http2.connect('http://127.0.0.1')
  for await (const chunk of client.request({ ':path': '/' })) t.assert(String(chunk) !== 'answer', 'answered')
})
`,
    'addon.race.mjs': `import { race } from 'wavetank/vitest'
race('hashes', () => import('hashing'))
`,
  })
  afterAll(() => modules.remove())

  it('are replaced by externals, relative to its file', async () => {
    const externals = { 'native-database': './stub.mjs' }
    const held = await modules.hold('external.race.mjs', 'uses a database', { iterations: 2, externals })
    expect(held.iterations).toBe(2)
    const { failure } = await modules.find('external.race.mjs', 'uses a database', { iterations: 2 })
    expect(failure.message).toContain('native-database')
  })

  it('that need turns of the real event loop end the exploration: no schedule would get anywhere', async () => {
    await expect(modules.explore('http2.race.mjs', 'asks by HTTP/2', { iterations: 2 })).rejects.toThrow(
      /^race: HTTP\/2, .* need turns of the real event loop/,
    )
  })

  it('load native addons only from the packages in addons', async () => {
    const options = { iterations: 1, shrink: false }
    await expect(modules.explore('addon.race.mjs', 'hashes', options)).rejects.toThrow(
      /addons: \['hashing'\]/,
    )
    // Allowed, the file is given to the dynamic loader of the machine, which knows that it is no library.
    const { failure } = await modules.find('addon.race.mjs', 'hashes', { ...options, addons: ['hashing'] })
    expect(failure.message).toMatch(/hashing\.node/)
    expect(failure.message).not.toMatch(/addons/)
  })
})
