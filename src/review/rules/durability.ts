/** Writes to files in the order in which a function makes them, and what makes them durable. */
import { callsIn, type Imported } from '../imports.ts'
import { bare, propertyOf, type Call, type Node, type SourceFile } from '../syntax.ts'

const WRITES = new Set(['writeFile', 'appendFile', 'writeFileSync', 'appendFileSync', 'write', 'writeSync'])
const SYNCS = /^(fsync|fdatasync|fsyncSync|fdatasyncSync|sync|datasync)$/
const RENAMES = new Set(['rename', 'renameSync'])

export interface FileAction {
  readonly kind: 'write' | 'sync' | 'rename'
  readonly call: Call
  /** The text of the first argument: the file. */
  readonly target: string
}

/** What one function does to files, in the order of its text. */
export function fileActions(file: SourceFile, scope: Node, fs: Imported): FileAction[] {
  const actions: FileAction[] = []
  for (const call of callsIn(file.below(scope, true))) {
    const name = fs.calls(call)
    const kind = kindOf(call, name)
    if (kind !== null)
      actions.push({ kind, call, target: call.args.length > 0 ? file.textOf(call.args[0]) : '' })
  }
  return actions.sort((a, b) => a.call.node.end - b.call.node.end)
}

function kindOf(call: Call, name: string | null): FileAction['kind'] | null {
  if (SYNCS.test(call.name)) return 'sync'
  if (name === null) return null
  if (WRITES.has(name)) return flushes(call) ? null : 'write'
  return RENAMES.has(name) ? 'rename' : null
}

/** `writeFile(file, data, { flush: true })` syncs by itself. */
function flushes({ args }: Call): boolean {
  const flush = propertyOf(bare(args.at(-1)), 'flush')
  return flush?.type === 'Literal' && flush.value === true
}

/** Every function of a file, and the file itself. */
export function scopesOf(file: SourceFile): Node[] {
  return file.nodes.filter(({ type }) => /Function/.test(type) || type === 'Program')
}
