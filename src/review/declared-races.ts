/**
 * The races that a test file declares, read from its text without running it: `race('title', …)`, with the titles of the
 * `describe` blocks around it. A title that is computed is not known here.
 */
import { Imported } from './imports.ts'
import { bare, callOf, SourceFile, type Call, type Node, type Parser } from './syntax.ts'

interface DeclaredRace {
  readonly file: string
  readonly line: number
  /** After the titles of the groups around it, joined by ` > `: how `wavetank plan race` names it. */
  readonly title: string
  /** True for `race.each`: the title is that of every row, with its `%s` and `$name` to be filled in. */
  readonly each: boolean
}

const RUNNERS = ['wavetank/vitest', 'wavetank/node-test']
const GROUPS = /^(describe|suite)$/

/** Empty for a file that declares none, or that cannot be parsed: its own runner says what is wrong with it. */
export function declaredRaces(path: string, text: string, parser: Parser): DeclaredRace[] {
  if (!RUNNERS.some((runner) => text.includes(runner))) return []
  const parsed = parser(path, text)
  if (parsed.problem !== null) return []
  const file = new SourceFile(path, text, parsed)
  const imported = new Imported(file, ...RUNNERS)
  return file.nodes.flatMap((node): DeclaredRace[] => {
    const each = eachOf(node)
    const declared = each ?? callOf(node)
    const title = titleOf(node)
    if (declared === null || title === null || !isRace(imported, declared)) return []
    const groups = [...file.around(node)].flatMap((outer) => groupTitle(outer) ?? [])
    return [
      {
        file: path,
        line: file.position(node.start).line,
        title: [...groups.toReversed(), title].join(' > '),
        each: each !== null,
      },
    ]
  })
}

/** `race`, `race.only`, `race.skip`, under any name that the import gives it. */
function isRace(imported: Imported, { node, path, args }: Call): boolean {
  const plain = path.filter((name) => name !== 'only' && name !== 'skip' && name !== 'each')
  return imported.calls({ node, path: plain, name: plain.at(-1) ?? '', args }) === 'race'
}

/** The call `race.each(table)` of a call `race.each(table)('title', …)`; null for any other. */
function eachOf(node: Node): Call | null {
  if (node.type !== 'CallExpression') return null
  const callee = bare(node.callee)
  if (callee === null) return null
  const isTagged = callee.type === 'TaggedTemplateExpression'
  const inner = callOf(
    isTagged ? { ...callee, type: 'CallExpression', callee: callee.tag, arguments: [] } : callee,
  )
  return inner?.name === 'each' ? inner : null
}

function groupTitle(node: Node): string | null {
  const call = callOf(node)
  return call !== null && GROUPS.test(call.path[0]) ? titleOf(node) : null
}

/** The first argument of a call as a text that is written out. */
function titleOf(node: Node): string | null {
  if (node.type !== 'CallExpression') return null
  const title = bare((node.arguments as Node[])[0])
  if (title?.type === 'Literal' && typeof title.value === 'string') return title.value
  if (title?.type !== 'TemplateLiteral' || (title.expressions as Node[]).length > 0) return null
  const [{ value }] = title.quasis as Node[]
  return (value as { readonly cooked: string }).cooked
}
