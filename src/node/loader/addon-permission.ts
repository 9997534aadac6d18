/**
 * Which native addons a program may load: those of the packages in `addons`, and those that these packages depend on,
 * since many keep a build per platform in a package of its own (`sharp` loads `@img/sharp-linux-x64`). Addons that are
 * known for input and output of their own are refused also when they are listed.
 */
import { running } from '../process/current.ts'
import { refusals } from '../process/fatal-exception.ts'
import type { RunningLoader } from './running-loader.ts'
import { callingFile, packageOf, refusedAddon, unsupportedAddon } from './unsupported.ts'

/** Packages whose addons act on the real machine, each with what they do there. */
const ACTING: readonly (readonly [name: RegExp, does: string])[] = [
  [
    /^(better-sqlite3|sqlite3|lmdb|@lmdb\/.+|classic-level|leveldown|rocksdb|duckdb|@duckdb\/.+|libsql|@libsql\/.+)$/,
    'it opens its database files on the real disk',
  ],
  [
    /^(zeromq|node-rdkafka|@confluentinc\/kafka-javascript|pg-native|libpq|oracledb|mediasoup|wrtc|@roamhq\/wrtc|node-datachannel)$/,
    'it opens sockets on the real network',
  ],
  [/^(fsevents|@parcel\/watcher.*|inotify)$/, 'it watches files of the real disk'],
  [/^(node-pty|serialport|@serialport\/.+|usb|node-hid)$/, 'it opens devices of the real machine'],
]

type ReadText = (path: string, encoding: 'utf8') => string

interface LoadedModule {
  readonly filename?: string | null
  readonly parent?: LoadedModule | null
}

/** Throws unless the addon may be loaded; `module` is the one that its exports become. */
export function permitAddon(module: LoadedModule, filename: string, loader: RunningLoader): void {
  const own = packageOf(filename)
  const dependents = dependentsOf(module, own, loader)
  const owner = dependents[0] ?? own
  const does = ACTING.find(([name]) => name.test(own) || name.test(owner))?.[1]
  if (does !== undefined) throw noted(refusedAddon(filename, owner, does, callingFile()))
  if (![own, ...dependents].some((name) => loader.addons.includes(name)))
    throw noted(unsupportedAddon(filename, owner, callingFile()))
}

/** If the program ends because of it, its last words say so. */
function noted<E extends Error>(error: E): E {
  if (running !== null) refusals.set(running, [...(refusals.get(running) ?? []), error])
  return error
}

/** The packages that require it, directly or through a package that finds builds, and name it in their manifest. */
function dependentsOf({ parent }: LoadedModule, own: string, loader: RunningLoader): string[] {
  const found: string[] = []
  for (let at = parent; at !== null && at !== undefined; at = at.parent) {
    const name = packageOf(at.filename ?? '')
    if (name !== own && !found.includes(name) && dependsOn(at.filename ?? '', name, own, loader))
      found.push(name)
  }
  return found
}

function dependsOn(file: string, name: string, dependency: string, { process }: RunningLoader): boolean {
  const folder = file.lastIndexOf(`/${name}/`)
  if (folder < 0) return false
  const text = manifestText(
    `${file.slice(0, folder)}/${name}/package.json`,
    process.require('fs').readFileSync,
  )
  if (text === null) return false
  const { dependencies = {}, optionalDependencies = {} } = JSON.parse(text) as Record<string, object>
  return dependency in dependencies || dependency in optionalDependencies
}

function manifestText(path: string, readFileSync: ReadText): string | null {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return null
  }
}
