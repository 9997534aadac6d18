/** A chunk of a stream taken for a whole message. */
import { callsIn } from '../imports.ts'
import type { Rule } from '../rule.ts'
import { bare, isFunction, nameOf, type Node, type SourceFile } from '../syntax.ts'

const DECODERS = /^(JSON\.parse|(v8\.)?deserialize|msgpack\.(decode|unpack)|BSON\.deserialize)$/

export const messageBoundary: Rule = {
  name: 'message-boundary',
  severity: 'warn',
  text: 'A chunk of a stream is decoded as if it were one message.',
  why: 'TCP and pipes carry bytes, not messages: one write may arrive in several chunks, and several in one.',
  fix: 'Collect chunks until a whole message is there: a length before each message, or lines (node:readline).',
  *find(file) {
    for (const { name, args } of callsIn(file.nodes)) {
      if ((name !== 'on' && name !== 'once' && name !== 'addListener') || !isData(args[0])) continue
      const handler = bare(args[1])
      if (!isFunction(handler)) continue
      const chunk = nameOf((handler.params as Node[])[0])
      if (chunk === null) continue
      for (const call of callsIn(file.below(handler, true))) {
        if (DECODERS.test(call.path.join('.')) && call.args.length > 0 && isChunk(file, call.args[0], chunk))
          yield {
            node: call.node,
            found: `one chunk is decoded as a whole message by ${call.path.join('.')}()`,
          }
      }
    }
  },
}

function isData(node: Node | undefined): boolean {
  return node?.type === 'Literal' && node.value === 'data'
}

/** `chunk`, `chunk.toString()`, `String(chunk)`, but nothing that was split or joined. */
function isChunk(file: SourceFile, node: Node, chunk: string): boolean {
  const text = file.textOf(node).replace(/\s/g, '')
  const name = chunk.replace(/[$]/g, '\\$&')
  return new RegExp(
    `^(${name}|String\\(${name}\\)|\`\\$\\{${name}\\}\`|${name}\\.toString\\((['"]utf-?8['"])?\\))(asstring|\\.trim\\(\\))?$`,
  ).test(text)
}
