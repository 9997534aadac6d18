/**
 * What can be seen of a project without running it: how it is written, and which programs it starts, with their ports and
 * environment. Compose files come first, then a Dockerfile, then package.json, then the usual names of entry files; a
 * program that several of them name is one program.
 */
import { parse } from 'yaml'

/** The files of a project, by paths relative to it. */
export interface ProjectFiles {
  /** Null if there is no such file. */
  read(path: string): string | null
}

export interface FoundProgram {
  /** A name for its group of processes. */
  readonly name: string
  /** The entry file, relative to the project. */
  readonly entry: string
  /** The first port that it listens on; null if nothing says so. */
  readonly port: number | null
  readonly env: Readonly<Record<string, string>>
  /** How many of it a compose file starts. */
  readonly count: number
  /** The file that says so. */
  readonly from: string
}

export interface ProjectLook {
  readonly name: string
  readonly modules: 'esm' | 'commonjs'
  readonly typescript: boolean
  readonly runner: 'vitest' | 'node:test'
  readonly programs: readonly FoundProgram[]
}

interface Manifest {
  readonly name?: string
  readonly type?: string
  readonly main?: string
  readonly bin?: string | Readonly<Record<string, string>>
  readonly scripts?: Readonly<Record<string, string>>
  readonly dependencies?: Readonly<Record<string, string>>
  readonly devDependencies?: Readonly<Record<string, string>>
}

const COMPOSE = ['compose.yaml', 'compose.yml', 'docker-compose.yaml', 'docker-compose.yml']
const USUAL = ['server', 'index', 'app', 'main', 'src/server', 'src/index', 'src/app', 'src/main'].flatMap(
  (name) => ['ts', 'js', 'mts', 'mjs', 'cjs'].map((extension) => `${name}.${extension}`),
)

export function lookAt(files: ProjectFiles): ProjectLook {
  const manifest = manifestOf(files)
  const found = [
    ...composePrograms(files),
    ...dockerPrograms(files, '.'),
    ...manifestPrograms(files, manifest),
  ]
  const usual = USUAL.filter((path) => files.read(path) !== null).map((entry) => named(entry, 'its name'))
  const programs = new Map<string, FoundProgram>()
  for (const each of found.length > 0 ? found : usual.slice(0, 1)) {
    const known = programs.get(each.entry)
    if (known === undefined) programs.set(each.entry, each)
    else
      programs.set(each.entry, {
        ...known,
        port: known.port ?? each.port,
        env: { ...each.env, ...known.env },
      })
  }
  const installed = { ...manifest.dependencies, ...manifest.devDependencies }
  return {
    name: (manifest.name ?? 'system').replace(/^@[^/]*\//, ''),
    modules: manifest.type === 'module' ? 'esm' : 'commonjs',
    typescript: 'typescript' in installed || files.read('tsconfig.json') !== null,
    runner: 'vitest' in installed ? 'vitest' : 'node:test',
    programs: [...programs.values()].map((each) => ({
      ...each,
      port: each.port ?? listeningPort(files, each.entry),
    })),
  }
}

function manifestOf(files: ProjectFiles): Manifest {
  try {
    return JSON.parse(files.read('package.json') ?? '{}') as Manifest
  } catch {
    return {} // npm complains about it better than we could
  }
}

/** Services of a compose file that run Node: by their command, or by the Dockerfile that builds them. */
function composePrograms(files: ProjectFiles): FoundProgram[] {
  const from = COMPOSE.find((path) => files.read(path) !== null)
  if (from === undefined) return []
  const services = record((yamlOf(files.read(from)!) as { services?: unknown } | null)?.services)
  return Object.entries(services).flatMap(([name, value]) => {
    const service = record(value)
    const built = typeof service.build === 'string' ? service.build : record(service.build).context
    const [docker] = typeof built === 'string' ? dockerPrograms(files, built) : []
    const entry = entryIn(files, words(service.command)) ?? docker?.entry
    if (entry === undefined) return []
    return [
      {
        name: groupName(name),
        entry,
        port: portIn(service.ports) ?? portIn(service.expose) ?? docker?.port ?? null,
        env: { ...docker?.env, ...environment(service.environment) },
        count: Number(record(service.deploy).replicas ?? 1) || 1,
        from,
      },
    ]
  })
}

/** A Dockerfile whose command is Node: `CMD ["node", "server.js"]`, `CMD node server.js`, `ENTRYPOINT …`. */
function dockerPrograms(files: ProjectFiles, folder: string): FoundProgram[] {
  const prefix = folder.replace(/^\.\/?/, '').replace(/\/*$/, '')
  const from = prefix === '' ? 'Dockerfile' : `${prefix}/Dockerfile`
  const text = files.read(from)
  if (text === null) return []
  const instructions = [...text.matchAll(/^\s*(CMD|ENTRYPOINT|EXPOSE|ENV)\s+(.*)$/gim)].map(
    ([, name, value]) => [name.toUpperCase(), value.trim()] as const,
  )
  const command = instructions.findLast(([name]) => name === 'CMD' || name === 'ENTRYPOINT')?.[1]
  const entry = command === undefined ? undefined : entryIn(files, words(command), prefix)
  if (entry === undefined) return []
  const exposed = instructions.find(([name]) => name === 'EXPOSE')?.[1]
  const env = instructions
    .filter(([name]) => name === 'ENV')
    .flatMap(([, value]) => {
      const parts = /^([A-Z_][A-Z0-9_]*)[= ](.*)$/i.exec(value)
      return parts === null ? [] : [[parts[1], parts[2].replace(/^["']|["']$/g, '')] as const]
    })
  return [{ ...named(entry, from), port: portIn(exposed), env: Object.fromEntries(env) }]
}

function manifestPrograms(files: ProjectFiles, { scripts, main, bin }: Manifest): FoundProgram[] {
  const started = entryIn(files, words(scripts?.start))
  const declared =
    started ?? entryIn(files, words(main)) ?? entryIn(files, words(typeof bin === 'string' ? bin : ''))
  return declared === undefined ? [] : [named(declared, 'package.json')]
}

function named(entry: string, from: string): FoundProgram {
  const name = groupName(entry.replace(/^.*\//, '').replace(/\.\w+$/, ''))
  return { name, entry, port: null, env: {}, count: 1, from }
}

/** The first word that is a source file of the project. A built file stands for its source, if there is one. */
function entryIn(files: ProjectFiles, list: readonly string[], folder = ''): string | undefined {
  for (const word of list) {
    if (!/\.[cm]?[jt]s$/.test(word)) continue
    const path = [folder, word.replace(/^(\.\/|\/app\/|\/usr\/src\/app\/|\/)/, '')]
      .filter((part) => part !== '')
      .join('/')
    const source = path.replace(/(^|\/)(dist|build|lib)\//, '$1src/').replace(/\.js$/, '.ts')
    if (files.read(source) !== null) return source
    if (files.read(path) !== null) return path
  }
  return undefined
}

/** A command as words: a list, a JSON list, or a line. */
function words(command: unknown): string[] {
  if (Array.isArray(command)) return command.map(String)
  if (typeof command !== 'string') return []
  return command
    .replace(/[[\]",]/g, ' ')
    .split(/\s+/)
    .filter((word) => word !== '')
}

/** The port inside the container: `8080`, `"80:8080"`, `{ target: 8080 }`, or the first of a list. */
function portIn(value: unknown): number | null {
  const first: unknown = Array.isArray(value) ? value[0] : value
  const port = typeof first === 'object' && first !== null ? record(first).target : first
  const digits =
    typeof port === 'number' || typeof port === 'string' ? /(\d+)(?:\/\w+)?$/.exec(String(port)) : null
  return digits === null ? null : Number(digits[1])
}

/** The port that a program names itself: `listen(8080)`, `PORT ?? 8080`, `port: 8080`. */
function listeningPort(files: ProjectFiles, entry: string): number | null {
  const text = files.read(entry) ?? ''
  const found =
    /\blisten\(\s*(\d{2,5})\b/.exec(text) ??
    /\bPORT\b\W{1,6}(\d{2,5})\b/.exec(text) ??
    /\bport\s*[:=]\s*(\d{2,5})\b/i.exec(text)
  return found === null ? null : Number(found[1])
}

/** `- A=1` lines or a mapping. A value that a compose file takes from outside (`${NAME}`) is left out. */
function environment(value: unknown): Record<string, string> {
  const pairs = Array.isArray(value)
    ? value.map((line) => String(line).split(/=(.*)/s).slice(0, 2))
    : Object.entries(record(value)).map(([name, text]) => [name, String(text)])
  return Object.fromEntries(pairs.filter(([, text]) => text !== undefined && !text.includes('${')))
}

function record(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : {}
}

function yamlOf(text: string): unknown {
  try {
    return parse(text)
  } catch {
    return null // no compose file that anything could start
  }
}

function groupName(text: string): string {
  const name = text.replace(/[^A-Za-z0-9]+(.)?/g, (_, letter: string | undefined) =>
    (letter ?? '').toUpperCase(),
  )
  return /^[A-Za-z]/.test(name) ? name : `node${name}`
}
