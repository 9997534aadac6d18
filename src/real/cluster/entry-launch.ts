/**
 * How an entry of a simulation becomes a real process: this Node, the preload that gives it a place in the cluster, and
 * a disk of its own. Absolute paths in `args` and `env` name files of the node, as in the tank: `/data` is a folder of
 * the node's disk. Only paths of the project and of the system's own folders are left as they are.
 */
import { extname, join, relative, resolve } from 'node:path'
import { UsageError } from '../../kernel/errors.ts'
import type { ProcessDefinition, ProcessIdentity } from '../../sim/authoring/definition.ts'
import { perProcess } from '../../sim/running/topology.ts'
import { PLACE, type Place } from '../entry/preload.ts'
import type { Launch } from './node-process.ts'

const MACHINE = ['/usr', '/bin', '/sbin', '/lib', '/lib64', '/etc', '/dev', '/proc', '/sys', '/opt']

/** The file of a node's disk that a path of the simulation means. */
export function onDisk(disk: string, path: string): string {
  return join(disk, relative('/', resolve('/work', path)))
}

export interface EntryOptions {
  readonly identity: ProcessIdentity
  readonly definition: ProcessDefinition
  /** The folder of the simulation file. */
  readonly folder: string
  /** Files below it are the program's own. */
  readonly project: string
  readonly disk: string
  readonly place: Place
  readonly environment: Readonly<Record<string, string | undefined>>
}

export function entryLaunch(options: EntryOptions): Launch {
  const { identity, definition, folder, project, disk, place, environment } = options
  const file = resolve(folder, definition.entry!)
  if (/^\.[cm]?ts$/.test(extname(file)) && !hasTypes()) {
    throw new UsageError(
      'ERR_WAVETANK_ENTRY',
      `${identity.name}: ${file} is TypeScript, which Node ${process.versions.node} cannot run as a real process; use Node 22.18 or later, or an entry in JavaScript`,
    )
  }
  const translate = (text: string): string => ownPaths(text, project, disk)
  const env = Object.entries(perProcess(definition, 'env', identity) ?? {})
  const preload = new URL(`../entry/preload${extname(import.meta.url)}`, import.meta.url).href
  return {
    command: process.execPath,
    args: [file, ...(perProcess(definition, 'args', identity) ?? []).map(translate)],
    env: {
      ...environment,
      ...Object.fromEntries(env.map(([name, value]) => [name, translate(value)])),
      NODE_OPTIONS: [environment.NODE_OPTIONS, `--import=${preload}`].filter(Boolean).join(' '),
      [PLACE]: JSON.stringify(place),
    },
    cwd: onDisk(disk, definition.cwd ?? '.'),
  }
}

function hasTypes(): boolean {
  return (
    (process.features as { typescript?: unknown }).typescript !== undefined &&
    (process.features as { typescript?: unknown }).typescript !== false
  )
}

/** `/data` and `--data=/data`: a path alone, or after an equals sign. */
function ownPaths(text: string, project: string, disk: string): string {
  const at = text.startsWith('/') ? 0 : text.indexOf('=/') + 1
  if (at === 0 && !text.startsWith('/')) return text
  const path = text.slice(at)
  const isOther = [...MACHINE, project].some((root) => path === root || path.startsWith(`${root}/`))
  return isOther ? text : text.slice(0, at) + onDisk(disk, path)
}
