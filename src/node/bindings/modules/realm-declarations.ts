/**
 * `let`, `const` and `class` at the top of a script that runs in *this* context (`vm.runInThisContext`). The engine keeps
 * such names in the realm forever: no later world could be rid of them, and the second process that runs the script
 * would hear that they are declared already. So these scripts declare them with `var`, as properties of the realm's global
 * object, which the leak watch names and empties after the world. What differs: a name can be read before its
 * declaration, declared again, and a constant assigned.
 */
import { parse, type Program } from 'acorn'

const MAY_DECLARE = /\b(?:let|const|class)\b/

/** The source with such declarations replaced, on the same lines; null if there is nothing to replace. */
export function withRevocableDeclarations(source: string): string | null {
  if (!MAY_DECLARE.test(source)) return null
  const edits: { readonly at: number; readonly length: number; readonly text: string }[] = []
  for (const statement of programOf(source)) {
    if (statement.type === 'ClassDeclaration') {
      edits.push({ at: statement.start, length: 0, text: `var ${statement.id.name} = ` })
      edits.push({ at: statement.end, length: 0, text: ';' })
    } else if (statement.type === 'VariableDeclaration' && statement.kind !== 'var') {
      const { kind, start } = statement
      edits.push({ at: start, length: kind.length, text: 'var'.padEnd(kind.length) })
      for (const { init, end } of statement.declarations)
        if (!init) edits.push({ at: end, length: 0, text: ' = undefined' }) // not the value of another process
    }
  }
  if (edits.length === 0) return null
  let text = ''
  let done = 0
  for (const { at, length, text: inserted } of edits) {
    text += source.slice(done, at) + inserted
    done = at + length
  }
  return text + source.slice(done)
}

/** Its statements; none if it is no script, which the engine says better. */
function programOf(source: string): Program['body'] {
  try {
    return parse(source, { ecmaVersion: 'latest', sourceType: 'script', allowHashBang: true }).body
  } catch {
    return []
  }
}
