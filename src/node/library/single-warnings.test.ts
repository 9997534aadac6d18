import { spawnSync } from 'node:child_process'
import { expect, it } from 'vitest'
import type { ProcessFunction } from '../process/program-options.ts'
import { runPrograms } from '../process/programs.test-support.ts'

/** A deprecated use of a module that processes share. */
const using: ProcessFunction = ({ require }) => {
  const { createHash } = require('crypto')
  for (let i = 0; i < 2; i++) createHash('shake128')
}

/** Whether Node, of this version, warns of it unasked. */
const unasked = spawnSync(process.execPath, ['-e', `(${using.toString()})({ require })`], {
  encoding: 'utf8',
}).stderr.includes('DEP0198')

it('a deprecation is printed once by each process that asks for it, in every world', async () => {
  const asking = { entry: using, execArgv: ['--pending-deprecation'] }
  for (let world = 0; world < 2; world++) {
    const { stderr } = await runPrograms({ first: asking, second: asking, careless: using })
    expect(stderr.first.match(/DEP0198/g)).toHaveLength(1)
    expect(stderr.second.match(/DEP0198/g)).toHaveLength(1)
    expect(stderr.careless.match(/DEP0198/g) ?? []).toHaveLength(unasked ? 1 : 0)
  }
})

/** Uses that Node warns of, in some of its versions. */
const USES: Readonly<Record<string, ProcessFunction>> = {
  'the old parser of URLs': ({ require }) => {
    const { parse, Url } = require('url')
    if (!(parse('http://x:1/y') instanceof Url)) throw new Error('another class')
  },
  'an old function of util': ({ require }) => void require('util')._extend({}, require('util').isArray([])),
  'a module that is deprecated': ({ require }) => void require('punycode').toASCII('mañana.com'),
  'a class without new': ({ require }) => void require('zlib').Gzip(),
  'an old Buffer': ({ globalThis: own }) => void (own as any).Buffer(5),
  'a recursive rmdir': ({ require }) => require('fs').rmdir('/x', { recursive: true }, () => {}),
  'what is an experiment': ({ require }) => require('path').matchesGlob?.('a', 'a'),
}

it.each(Object.keys(USES))('%s: every process of every world hears the same warnings', async (name) => {
  const heard = new Set<string>()
  for (let world = 0; world < 2; world++) {
    const { stderr } = await runPrograms({ first: USES[name], second: USES[name] })
    for (const text of Object.values(stderr)) heard.add(text.replace(/node:\d+/g, 'node'))
  }
  expect([...heard]).toHaveLength(1)
  expect([...heard][0]).not.toMatch(/Error:/)
})

it('a function that a program deprecates warns once in every process', async () => {
  const program: ProcessFunction = ({ require }) => {
    for (let i = 0; i < 2; i++) require('util').deprecate(() => {}, 'it is old', 'DEP_MINE')()
  }
  for (let world = 0; world < 2; world++) {
    const { stderr } = await runPrograms({ first: program, second: program })
    for (const text of Object.values(stderr)) expect(text.match(/it is old/g)).toHaveLength(1)
  }
})
