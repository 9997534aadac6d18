/**
 * A file of the simulated disk as a command: `execvp` finds it along PATH, the system reads its first line and starts the
 * interpreter named there, or the shell where no line names one. Interpreters are the commands that a host has; a native
 * program is none of them (`ENOEXEC`).
 */
import { commandFor, type Command } from './command-line.ts'

/** Looks at a path: gives its permissions and, of a file, its text; null if nothing is there. */
export type LookAt = (path: string) => { readonly mode: number; readonly text: string | null } | null

export interface ScriptCall {
  readonly file: string
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
  readonly execPath: string
  readonly cwd: string
}

const EXECUTABLE = 0o111
const FIRST_LINE = /^#!\s*(\S+)[ \t]*(.*)/

/** The command that a script is, or the code of the error why it is none. */
export function scriptCommand(call: ScriptCall, lookAt: LookAt): Command | 'ENOENT' | 'EACCES' | 'ENOEXEC' {
  const { file, args, env, execPath, cwd } = call
  const folders = file.includes('/') ? [''] : (env.PATH ?? '').split(':').map((folder) => `${folder || '.'}/`)
  let refused = false
  for (const folder of folders) {
    const path = folder + file
    const found = lookAt(path.startsWith('/') ? path : `${cwd}/${path}`)
    if (found === null) continue
    if (found.text === null || (found.mode & EXECUTABLE) === 0) {
      refused = true
      continue
    }
    const [, interpreter, rest = ''] = FIRST_LINE.exec(found.text) ?? []
    if (interpreter === undefined) {
      if (found.text.startsWith('\u007fELF')) return 'ENOEXEC'
      return commandFor('sh', ['-c', found.text, path, ...args], env, execPath) ?? 'ENOENT' // as execvp does
    }
    const words = rest.split(/\s+/).filter((word) => word !== '' && word !== '-S')
    const [name, ...options] = interpreter.endsWith('/env') ? words : [interpreter, ...words]
    return commandFor(name ?? '', [...options, path, ...args], env, execPath) ?? 'ENOENT'
  }
  return refused ? 'EACCES' : 'ENOENT'
}
