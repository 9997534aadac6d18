/** The global console, also where nobody has used it before: a file binds the name as soon as it mentions it. */
import { describe } from 'vitest'
import { same } from './parity.ts'

/** Runs before the program and says `console` only in pieces. */
const first = (seen: string): Record<string, string> => ({
  'first.cjs': `const name = 'con' + 'sole'\nglobalThis.seen = () => { ${seen} }\nglobalThis.early = globalThis.seen()\n`,
})
const flags = ['--require', './first.cjs']

describe('a console that nobody has used', () => {
  same(
    'is a plain property of the global object',
    (log) => {
      const { early } = globalThis as any
      log(Object.keys(early), early.writable, early.enumerable, early.configurable)
      log(early.value === console, Object.keys(globalThis).includes('console'))
    },
    first('return Object.getOwnPropertyDescriptor(globalThis, name)'),
    flags,
  )

  same(
    'is what the module gives',
    (log, require) => {
      const { early } = globalThis as any
      log(early === console, require('node:console') === console, early.Console === console.Console)
      early.error('to the other stream')
    },
    first("return require('node:' + name)"),
    flags,
  )

  same(
    'can be replaced',
    (log) => {
      log((globalThis as any).early)
    },
    first(
      "const old = globalThis[name]; globalThis[name] = { log: (...values) => old.log('mine', ...values) }",
    ),
    flags,
  )

  same(
    'can be replaced before anybody has it',
    (log, require) => {
      log('not printed')
      require('node:console').log('printed')
    },
    first('globalThis[name] = { log() {} }'),
    flags,
  )
})
