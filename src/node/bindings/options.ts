/** `options`: the command line of a simulated process, over Node's own defaults (never the host's command line). */
import { takeInternals, type Binding } from '../library/internals.ts'
import type { RunningProcess } from '../process/running-process.ts'
import { closed } from './binding.ts'

// Taken when this module loads: during a burst, `process` is a simulated one.
const hostFlags: readonly string[] = [...process.execArgv]

/** What the binary was built into, the same for all processes. */
let embedder: unknown

export function options(process: RunningProcess): Binding {
  const real = takeInternals().internalBinding('options')
  return closed('options', {
    envSettings: real.envSettings,
    types: real.types,
    getCLIOptionsInfo: real.getCLIOptionsInfo,
    getEmbedderOptions: () => (embedder ??= real.getEmbedderOptions()),
    getOptionsAsFlags: () => [...process.placement.execArgv],
    getEnvOptionsInputType: real.getEnvOptionsInputType,
    getNamespaceOptionsInputType: real.getNamespaceOptionsInputType,
    getCLIOptionsValues: () => applied(real, process),
  })
}

/** Variables that stand for an option, when they are set to 1. */
const SWITCHES = {
  NODE_PENDING_DEPRECATION: '--pending-deprecation',
  NODE_PRESERVE_SYMLINKS: '--preserve-symlinks',
  NODE_PRESERVE_SYMLINKS_MAIN: '--preserve-symlinks-main',
} as const

function environmentFlags(env: Readonly<Record<string, string>>): string[] {
  const flags: string[] = []
  for (const [name, flag] of Object.entries(SWITCHES)) if (env[name]?.[0] === '1') flags.push(flag)
  const { NODE_REDIRECT_WARNINGS: file, NODE_OPTIONS: options } = env
  if (file !== undefined && file !== '') flags.push(`--redirect-warnings=${file}`)
  return options === undefined ? flags : [...flags, ...optionWords(options)]
}

/** The words of NODE_OPTIONS: separated by spaces, which double quotes protect; a backslash escapes within them. */
function optionWords(text: string): string[] {
  const words: string[] = []
  for (const [word] of text.matchAll(/(?:[^ "]|"(?:[^"\\]|\\[^])*")+/g))
    words.push(
      word.replaceAll(/"((?:[^"\\]|\\[^])*)"/g, (_, inner: string) => inner.replaceAll(/\\([^])/g, '$1')),
    )
  return words
}

interface OptionInfo {
  readonly defaultIsTrue: boolean
  readonly type: number
}

/** Node's defaults with the process's own flags and NODE_OPTIONS on top. */
function applied(real: Binding, process: RunningProcess): Record<string, unknown> {
  const flags = [...environmentFlags(process.placement.env), ...process.placement.execArgv]
  if (flags.length === 0) return defaults(real)
  const values: Record<string, unknown> = { __proto__: null, ...defaults(real) }
  const { options: known, aliases } = real.getCLIOptionsInfo() as {
    options: Map<string, OptionInfo>
    aliases: Map<string, string[]>
  }
  for (let i = 0; i < flags.length; i++) {
    const [rawName, inline] = splitFlag(flags[i])
    let name = rawName.startsWith('--') ? rawName.replaceAll('_', '-') : rawName
    // An alias stands for one or more options; some do only when a value follows (`-p 42` is `--print --eval 42`).
    const followed = inline === undefined && i + 1 < flags.length && !flags[i + 1].startsWith('-')
    const alias = (followed ? aliases.get(`${name} <arg>`) : undefined) ?? aliases.get(name)
    if (alias !== undefined) {
      const last = alias.at(-1)!
      flags.splice(i--, 1, ...alias.slice(0, -1), inline === undefined ? last : `${last}=${inline}`)
      continue
    }
    const negated = name.startsWith('--no-') && !known.has(name)
    if (negated) name = `--${name.slice(5)}`
    const info = known.get(name)
    if (info === undefined) continue
    if (info.type === real.types.kBoolean) {
      values[name] = !negated
      values[`--no-${name.slice(2)}`] = negated
    } else {
      const value = inline ?? flags[++i]
      if (info.type === real.types.kInteger || info.type === real.types.kUInteger)
        values[name] = Number(value)
      else if (info.type === real.types.kStringList) values[name] = [...(values[name] as string[]), value]
      else values[name] = value
    }
  }
  return values
}

function splitFlag(flag: string): [string, string | undefined] {
  const at = flag.indexOf('=')
  return at < 0 ? [flag, undefined] : [flag.slice(0, at), flag.slice(at + 1)]
}

let cached: Record<string, unknown> | undefined

/** The host's values, with what the host's own command line changed put back. */
function defaults(real: Binding): Record<string, unknown> {
  if (cached !== undefined) return cached
  const values: Record<string, unknown> = { ...real.getCLIOptionsValues() }
  const { options: known } = real.getCLIOptionsInfo() as { options: Map<string, OptionInfo> }
  for (const flag of hostFlags) {
    const name = splitFlag(flag)[0]
    const info = known.get(name)
    if (info === undefined) continue
    if (info.type === real.types.kBoolean) values[name] = info.defaultIsTrue
    else if (info.type === real.types.kString) values[name] = ''
    else if (info.type === real.types.kStringList) values[name] = []
  }
  values['--expose-internals'] = false
  values['--enable-source-maps'] = false
  values['--test'] = false
  values['--watch'] = false
  values['--require'] = []
  values['--import'] = []
  return (cached = values)
}
