/**
 * Asking whether a file is there, and acting on the answer later. Purely synchronous code passes: within one process
 * nothing comes between.
 */
import { callsIn, Imported } from '../imports.ts'
import type { Rule } from '../rule.ts'
import { isAwaited, propertyOf, bare, type Call, type Node, type SourceFile } from '../syntax.ts'

const CHECKS = new Set(['existsSync', 'exists', 'access', 'stat'])
const ACTS = new Set(['writeFile', 'mkdir', 'unlink', 'rename', 'open', 'copyFile', 'symlink', 'link'])

export const checkThenAct: Rule = {
  name: 'check-then-act',
  severity: 'warn',
  text: 'A file is checked for existence, then written or removed across an `await`.',
  why: 'Another call or process makes or removes the file in between: both believe that they are the first.',
  fix: "Act at once and handle the error: `open(path, 'wx')`, `mkdir(path, { recursive: true })`, `rm(path, { force: true })`.",
  *find(file) {
    const fs = new Imported(file, 'fs', 'fs/promises')
    if (fs.none) return
    for (const node of file.nodes) {
      if (node.type !== 'IfStatement') continue
      const check = callsIn([node.test as Node, ...file.below(node.test as Node)]).find((call) =>
        CHECKS.has(fs.calls(call) ?? ''),
      )
      if (check === undefined || check.args.length === 0) continue
      const path = file.textOf(check.args[0])
      const act = callsIn(file.below(node.consequent as Node, true)).find((call) =>
        races(file, fs, call, path),
      )
      if (act !== undefined)
        yield { node: act.node, found: `${act.name}(${path}) trusts an earlier ${check.name}()` }
    }
  },
}

function races(file: SourceFile, fs: Imported, call: Call, path: string): boolean {
  if (!ACTS.has(fs.calls(call) ?? '') || call.args.length === 0 || file.textOf(call.args[0]) !== path)
    return false
  const options: Node | null = bare(call.args.at(-1))
  const safe = propertyOf(options, 'recursive') ?? propertyOf(options, 'flag')
  const exclusive = call.args
    .slice(1)
    .some((arg) => arg.type === 'Literal' && /x/.test(String(arg.value)) && call.name === 'open')
  return safe === null && !exclusive && isAwaited(file, call.node)
}
