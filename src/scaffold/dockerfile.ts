/** What a Dockerfile starts if it is Node: `CMD ["node", "server.js"]`, `CMD npm start`, `ENTRYPOINT …`, with `EXPOSE` and `ENV`. */
import { programOf, type FoundProgram, type ProjectFiles } from './found-program.ts'
import { below, entryOf } from './start-command.ts'

/** `folder` is the context that is built, `name` the Dockerfile in it. */
export function dockerProgram(files: ProjectFiles, folder: string, name = 'Dockerfile'): FoundProgram | null {
  const from = below(folder, name)
  const text = files.read(from)
  if (text === null) return null
  // What an earlier stage runs is gone from the image.
  const stage = text.slice(Math.max(0, text.search(/^\s*FROM\b(?![\s\S]*^\s*FROM\b)/im)))
  const instructions = [
    ...stage.replace(/\\\r?\n/g, ' ').matchAll(/^\s*(CMD|ENTRYPOINT|EXPOSE|ENV)\s+(.*)$/gim),
  ].map(([, instruction, value]) => [instruction.toUpperCase(), value.trim()] as const)
  const last = (wanted: string): string => instructions.findLast(([each]) => each === wanted)?.[1] ?? ''
  const entry = entryOf(files, `${last('ENTRYPOINT')} ${last('CMD')}`, folder)
  if (entry === undefined) return null
  const env = Object.fromEntries(
    instructions.filter(([each]) => each === 'ENV').flatMap(([, value]) => variables(value)),
  )
  const exposed = /^(\d+)/.exec(last('EXPOSE'))?.[1] ?? env.PORT
  return { ...programOf(entry, from), port: exposed === undefined ? null : Number(exposed) || null, env }
}

/** `A=1 B="two words"`, or the old form `A 1`. */
function variables(text: string): (readonly [string, string])[] {
  const pairs = [...text.matchAll(/([A-Z_][A-Z0-9_]*)=(?:"([^"]*)"|'([^']*)'|(\S*))/gi)]
  if (pairs.length > 0)
    return pairs.map(([, key, double, single, bare]) => [key, double ?? single ?? bare] as const)
  const old = /^([A-Z_][A-Z0-9_]*)\s+(.*)$/i.exec(text)
  return old === null ? [] : [[old[1], old[2]]]
}
