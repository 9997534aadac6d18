/** Identifiers drawn from `Math.random()`. */
import { callsIn } from '../imports.ts'
import type { Rule } from '../rule.ts'
import { nameOf, type Node, type SourceFile } from '../syntax.ts'

const IDENTITY = /(^|[a-z_])(id|uuid|token|nonce|secret|requestId|fence)$/i

export const randomIdentity: Rule = {
  name: 'random-identity',
  severity: 'warn',
  text: 'An identifier is drawn from Math.random().',
  why: 'Two processes may draw the same one, and it can be guessed: work is taken for a repetition of other work.',
  fix: '`crypto.randomUUID()`; in the tank it comes from the seed as well.',
  *find(file) {
    for (const { node, path } of callsIn(file.nodes)) {
      if (path.join('.') !== 'Math.random') continue
      const name = targetOf(file, node)
      if (name !== null && IDENTITY.test(name)) yield { node, found: `${name} is drawn from Math.random()` }
    }
  },
}

/** The variable, property or function that a value is for. */
function targetOf(file: SourceFile, node: Node): string | null {
  for (const each of file.around(node)) {
    if (each.type === 'VariableDeclarator') return nameOf(each.id)
    if (each.type === 'Property' || each.type === 'PropertyDefinition') return nameOf(each.key)
    if (each.type === 'AssignmentExpression') return nameOf(each.left) ?? nameOf((each.left as Node).property)
    if (each.type === 'FunctionDeclaration') return nameOf(each.id)
    if (
      /^(Conditional|Logical)Expression$|Statement$/.test(each.type) &&
      each.type !== 'ReturnStatement' &&
      each.type !== 'BlockStatement'
    )
      return null
  }
  return null
}
