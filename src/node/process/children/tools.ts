/** The few commands besides Node that a simulated host has, as small programs. */
import type { ProcessFunction } from '../program-options.ts'

export const TOOLS: ReadonlyMap<string, ProcessFunction> = new Map<string, ProcessFunction>([
  ['true', () => {}],
  [
    'false',
    ({ process }) => {
      process.exitCode = 1
    },
  ],
  ['echo', ({ process }) => process.stdout.write(`${process.argv.slice(2).join(' ')}\n`)],
  ['pwd', ({ process }) => process.stdout.write(`${process.cwd()}\n`)],
  [
    'id',
    ({ process }) => {
      const { uid, gid, groups } = {
        uid: process.getuid!(),
        gid: process.getgid!(),
        groups: process.getgroups!(),
      }
      const numbers: Record<string, string> = { '-u': `${uid}`, '-g': `${gid}`, '-G': groups.join(' ') }
      const text = numbers[process.argv[2]] ?? `uid=${uid} gid=${gid} groups=${groups.join(',')}`
      process.stdout.write(`${text}\n`)
    },
  ],
  [
    'env',
    ({ process }) => {
      for (const [name, value] of Object.entries(process.env)) process.stdout.write(`${name}=${value}\n`)
    },
  ],
  [
    'cat',
    ({ process, require }) => {
      const files = process.argv.slice(2).filter((name) => name !== '-')
      if (files.length === 0) process.stdin.pipe(process.stdout)
      else for (const file of files) process.stdout.write(require('fs').readFileSync(file))
    },
  ],
  [
    'sleep',
    ({ process, globalThis: global }) => {
      global.setTimeout(() => {}, Number(process.argv[2]) * 1000)
    },
  ],
  [
    'kill',
    ({ process }) => {
      const [first, ...rest] = process.argv.slice(2)
      const named = /^-(?:SIG)?([A-Z0-9]+)$/.exec(first ?? '')
      const signal = named === null ? 'SIGTERM' : /^\d+$/.test(named[1]) ? Number(named[1]) : `SIG${named[1]}`
      for (const pid of named === null ? process.argv.slice(2) : rest) process.kill(Number(pid), signal)
    },
  ],
  [
    'exit',
    ({ process }) => {
      process.exitCode = Number(process.argv[2] ?? 0)
    },
  ],
])
