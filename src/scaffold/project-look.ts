/**
 * What can be seen of a project without running it: how it is written, and which programs it starts, with their ports and
 * environment. Compose files come first, then a Dockerfile, then package.json, then the usual names of entry files; a
 * program that several of them name is one program.
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
}

const USUAL = ['server', 'index', 'app', 'main', 'src/server', 'src/index', 'src/app', 'src/main'].flatMap(
  (name) => ['ts', 'js', 'mts', 'mjs', 'cjs'].map((extension) => `${name}.${extension}`),
)

export function lookAt(files: ProjectFiles): ProjectLook {
  const manifest = manifestIn(files)
  const { programs, others } = composeServices(files)
  const found = [...programs, dockerProgram(files, '.'), manifestProgram(files, manifest)].filter(
    (each) => each !== null,
  )
  const usual = USUAL.filter((path) => files.read(path) !== null).map((entry) => programOf(entry, 'its name'))
  const installed = { ...manifest.dependencies, ...manifest.devDependencies }
  return {
    name: (manifest.name ?? 'system').replace(/^@[^/]*\//, ''),
    modules: manifest.type === 'module' ? 'esm' : 'commonjs',
    typescript: 'typescript' in installed || files.read('tsconfig.json') !== null,
    runner: 'vitest' in installed ? 'vitest' : 'node:test',
    programs: [...merged(found.length > 0 ? found : usual.slice(0, 1))].map((each) => withPort(files, each)),
    others,
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

function manifestProgram(files: ProjectFiles, { scripts, main, bin }: Manifest): FoundProgram | null {
  const declared =
    entryOf(files, scripts?.start) ??
    entryOf(files, main) ??
    entryOf(files, typeof bin === 'string' ? bin : '')
  return declared === undefined ? null : programOf(declared, 'package.json')
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
