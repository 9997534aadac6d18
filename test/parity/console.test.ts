/** The global console, also where nobody has used it before: a file binds the name as soon as it mentions it. */
import { describe } from 'vitest'
import { same } from './parity.ts'

/** Runs before the program and says `console` only in pieces. */
const first = (seen: string): Record<string, string> => ({
  'first.cjs': `const name = 'con' + 'sole'\nglobalThis.seen = () => { ${seen} }\nglobalThis.early = globalThis.seen()\n`,
})
const flags = ['--require', './first.cjs']

describe('a console', () => {
  same('calls the methods that it has now', (log) => {
    const heard: unknown[] = []
    const { warn } = console
    console.warn = function (...values) {
      heard.push(this === console, ...values)
    }
    console.assert(false, 'no')
    warn('to the other stream')
    log(heard, Object.keys(console.log), console.log.name, String(console.log), 'prototype' in console.log)
    log(Object.getOwnPropertyNames(Object.getPrototypeOf(console)), console instanceof console.Console)
    log(Object.prototype.toString.call(console))
  })

  same('is itself in the stack of what it calls', (log) => {
    const frames: string[] = []
    console.log({
      [Symbol.for('nodejs.util.inspect.custom')]() {
        frames.push(...new Error('here').stack!.split('\n').map((line) => line.trim().split(' (')[0]))
        return 'inspected'
      },
    })
    log(frames.slice(0, frames.findIndex((frame) => frame.includes('console.log')) + 1))
  })

  same('keeps counts, times and indentation', (log) => {
    console.group('one')
    console.count()
    console.log('two\nlines')
    console.groupEnd()
    console.count()
    console.countReset()
    console.count()
    console.dir({ a: 1 })
    console.table([{ a: 1 }])
    console.time('t')
    console.warn('w')
    log((console as any)._times.size, (console as any)._stdout === process.stdout)
  })
})

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
