import { describe, expect, it } from 'vitest'
import { takeInternals } from './internals.ts'
import { scopeOf } from './module-table.ts'

/** Ways out of a module that is shared with the host, to its timers, files, threads, clocks and randomness. */
const MODULES =
  /\brequire\('((?:internal\/)?(?:timers|fs|net|dgram|dns|child_process|worker_threads|perf)(?:\/\w+)?)'\)/g
const CLOCKS = /\b(DateNow|MathRandom|new Date\(\)|getLibuvNow)\b/g

/** Those that are not taken by a process, each with its reason. */
const DISPATCHED: Readonly<Record<string, string>> = {
  'internal/assert/utils → fs': 'the source of a failed assertion: see loader/compiling/assertion-sites.ts',
  'internal/blob → timers': 'streams of blobs: see blob-streams.ts',
  'internal/event_target → internal/perf/utils': 'time stamps of events: see shared-classes.ts',
  'internal/source_map/prepare_stack_trace → fs': 'source maps of the host; processes have none of Node’s',
  'internal/source_map/source_map_cache → fs': 'source maps of the host; processes have none of Node’s',
  'internal/util/trace_sigint → worker_threads': 'asks whether it is the main thread',
  'path → internal/fs/glob': 'matches a path against a pattern',
  'util → new Date()': 'util.log: see module-overrides.ts',
}

function waysOut(source: string): string[] {
  const code = source.replaceAll(/\/\*[^]*?\*\/|^\s*\/\/.*$/gm, '')
  const modules = [...code.matchAll(MODULES)].map(([, id]) => id).filter((id) => scopeOf(id) !== 'host')
  const clocks = [...code.matchAll(CLOCKS)].map(([name]) => name)
  return [...new Set([...modules, ...clocks])]
}

describe('a module that is shared with the host', () => {
  it('leads to no real timer, file, thread or clock', () => {
    const { builtinIds, internalBinding } = takeInternals()
    const { natives } = internalBinding('builtins')
    const found = builtinIds
      .filter((id) => scopeOf(id) === 'host' && !id.startsWith('internal/deps/'))
      .flatMap((id) => waysOut(natives[id] as string).map((way) => `${id} → ${way}`))
    expect(found).toContain('internal/event_target → internal/perf/utils')
    expect(found.filter((way) => DISPATCHED[way] === undefined)).toEqual([])
  })

  it('would be caught if it did', () => {
    expect(waysOut(`const { setTimeout } = require('timers');\nDateNow()`)).toEqual(['timers', 'DateNow'])
    expect(waysOut(`// require('timers')\nconst { Buffer } = require('buffer')`)).toEqual([])
  })
})
