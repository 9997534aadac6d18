/** The services of a compose file: those that run Node, by their command or the Dockerfile that builds them, and the others. */
import { parse } from 'yaml'
import { dockerProgram } from './dockerfile.ts'
import { groupName, programOf, type FoundProgram, type ProjectFiles } from './found-program.ts'
import { entryOf } from './start-command.ts'

const NAMES = ['compose.yaml', 'compose.yml', 'docker-compose.yaml', 'docker-compose.yml']

export interface Services {
  readonly programs: readonly FoundProgram[]
  /** What is no Node.js program of the project, with its image: `db (postgres:16)`. */
  readonly others: readonly string[]
}

export function composeServices(files: ProjectFiles): Services {
  const from = NAMES.find((path) => files.read(path) !== null)
  if (from === undefined) return { programs: [], others: [] }
  const programs: FoundProgram[] = []
  const others: string[] = []
  for (const [name, value] of Object.entries(record(record(yamlOf(files.read(from)!)).services))) {
    const service = record(value)
    const program = serviceProgram(files, service)
    if (program !== null) programs.push({ ...program, name: groupName(name), from })
    else others.push(typeof service.image === 'string' ? `${name} (${service.image})` : name)
  }
  return { programs, others }
}

function serviceProgram(
  files: ProjectFiles,
  service: Readonly<Record<string, unknown>>,
): FoundProgram | null {
  const build = typeof service.build === 'string' ? { context: service.build } : record(service.build)
  const context = textOf(build.context) ?? '.'
  const docker =
    service.build === undefined ? null : dockerProgram(files, context, textOf(build.dockerfile) ?? undefined)
  const folder = service.build === undefined ? sourceFolder(service.volumes) : context
  const started = [service.entrypoint, service.command].flatMap((part) => (part === undefined ? [] : [part]))
  const entry = entryOf(files, started.flat(), folder) ?? entryOf(files, started.flat()) ?? docker?.entry
  if (entry === undefined) return null
  const env = { ...docker?.env, ...environment(service.environment) }
  const published = portIn(service.ports)
  return {
    ...programOf(entry, ''),
    port: published ?? portIn(service.expose) ?? docker?.port ?? (Number(env.PORT) || null),
    published: published !== null,
    env,
    count: Number(record(service.deploy).replicas ?? service.scale ?? 1) || 1,
  }
}

/** The folder of the project that a service without a build mounts: `./api:/app`. */
function sourceFolder(volumes: unknown): string {
  const first: unknown = Array.isArray(volumes) ? volumes[0] : undefined
  const source = textOf(first)?.split(':')[0] ?? textOf(record(first).source) ?? '.'
  return source.startsWith('.') ? source : ''
}

/** The port inside the container: `8080`, `"80:8080"`, `{ target: 8080 }`, or the first of a list. */
function portIn(value: unknown): number | null {
  const first: unknown = Array.isArray(value) ? value[0] : value
  const port = typeof first === 'object' && first !== null ? record(first).target : first
  const digits =
    typeof port === 'number' || typeof port === 'string' ? /(\d+)(?:\/\w+)?$/.exec(String(port)) : null
  return digits === null ? null : Number(digits[1])
}

/** `- A=1` lines or a mapping. A value that a compose file takes from outside (`${NAME}`) is left out. */
function environment(value: unknown): Record<string, string> {
  const pairs = Array.isArray(value)
    ? value.map((line) => String(line).split(/=(.*)/s).slice(0, 2))
    : Object.entries(record(value)).map(([name, text]) => [name, String(text)])
  return Object.fromEntries(pairs.filter(([, text]) => text !== undefined && !text.includes('${')))
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' ? value : null
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
