/**
 * What can be seen of a project without running it: how it is written, and which programs it starts, with their ports and
 * environment. Compose files come first, then a Dockerfile, then package.json, then the usual names of entry files; a
 * program that several of them name is one program. What only exports and serves nothing is a library: no client can talk
 * to it.
 */
import { composeServices } from './compose-file.ts'
import { dockerProgram } from './dockerfile.ts'
import { programOf, type FoundProgram, type ProjectFiles } from './found-program.ts'
import { entryOf, manifestIn, type Manifest } from './start-command.ts'

export interface ProjectLook {
  readonly name: string
  readonly modules: 'esm' | 'commonjs'
  readonly typescript: boolean
  readonly runner: 'vitest' | 'node:test'
  readonly programs: readonly FoundProgram[]
  /** Services of a compose file that are no Node.js programs of the project. */
  readonly others: readonly string[]
  /** The entry of a library, if no program was found beside it. */
  readonly library: string | null
}

const USUAL = ['server', 'index', 'app', 'main', 'src/server', 'src/index', 'src/app', 'src/main'].flatMap(
  (name) => ['ts', 'js', 'mts', 'mjs', 'cjs'].map((extension) => `${name}.${extension}`),
)

const EXPORTS = /\bmodule\.exports\b|\bexports\.\w|^export\s/m
/** Words of programs that clients talk to. */
const SERVES = /\b(listen|serve|server|createServer|express|fastify|koa|hono|hapi|restify|NestFactory)\b/i

export function lookAt(files: ProjectFiles): ProjectLook {
  const manifest = manifestIn(files)
  const { programs, others } = composeServices(files)
  const declared = [...programs, dockerProgram(files, '.'), manifestProgram(files, manifest)].filter(
    (each) => each !== null,
  )
  const main = entryOf(files, manifest.main)
  const likely = [
    ...(main === undefined ? [] : [programOf(main, 'package.json')]),
    ...USUAL.filter((path) => files.read(path) !== null).map((entry) => programOf(entry, 'its name')),
  ]
  const [library = null] = likely.filter(({ entry }) => isLibrary(files, entry)).map(({ entry }) => entry)
  const undeclared = likely.filter(({ entry }) => !isLibrary(files, entry)).slice(0, 1)
  const found = declared.length > 0 ? declared : undeclared
  const installed = { ...manifest.dependencies, ...manifest.devDependencies }
  return {
    name: (manifest.name ?? 'system').replace(/^@[^/]*\//, ''),
    modules: manifest.type === 'module' ? 'esm' : 'commonjs',
    typescript: 'typescript' in installed || files.read('tsconfig.json') !== null,
    runner: 'vitest' in installed ? 'vitest' : 'node:test',
    programs: [...merged(found)].map((each) => withPort(files, each)),
    others,
    library: found.length > 0 ? null : library,
  }
}

/** The program that `--entry` names: what the project's files say of it, or what its own source says. */
export function programNamed(files: ProjectFiles, entry: string): FoundProgram {
  const known = lookAt(files).programs.find((each) => each.entry === entry)
  return known ?? withPort(files, programOf(entry, 'its name'))
}

/** The program that clients talk to: the first whose port is published, else the first that has one, else the first. */
export function likelyAsked(programs: readonly FoundProgram[]): FoundProgram | undefined {
  return (
    programs.find(({ published }) => published) ?? programs.find(({ port }) => port !== null) ?? programs[0]
  )
}

/** One program for each entry and name; what the first leaves open, the others may say. */
function merged(found: readonly FoundProgram[]): Iterable<FoundProgram> {
  const programs = new Map<string, FoundProgram>()
  for (const each of found) {
    const known = [...programs.values()].find(({ entry }) => entry === each.entry)
    const isOther = known !== undefined && each.from === known.from // two services of one compose file
    const key = known === undefined || isOther ? each.name : known.name
    programs.set(
      key,
      known === undefined || isOther
        ? each
        : { ...known, port: known.port ?? each.port, env: { ...each.env, ...known.env } },
    )
  }
  return programs.values()
}

function manifestProgram(files: ProjectFiles, { scripts, bin }: Manifest): FoundProgram | null {
  const declared = entryOf(files, scripts?.start) ?? entryOf(files, typeof bin === 'string' ? bin : '')
  return declared === undefined ? null : programOf(declared, 'package.json')
}

function isLibrary(files: ProjectFiles, entry: string): boolean {
  const text = files.read(entry) ?? ''
  return EXPORTS.test(text) && !SERVES.test(text)
}

/** The port that a program names itself, if nothing else does: `listen(8080)`, `PORT ?? 8080`, `port: 8080`. */
function withPort(files: ProjectFiles, program: FoundProgram): FoundProgram {
  if (program.port !== null) return program
  const text = files.read(program.entry) ?? ''
  const found =
    /\blisten\(\s*(\d{2,5})\b/.exec(text) ??
    /\bPORT\b\W{1,6}(\d{2,5})\b/.exec(text) ??
    /\bport\s*[:=]\s*(\d{2,5})\b/i.exec(text)
  return { ...program, port: found === null ? null : Number(found[1]) }
}
