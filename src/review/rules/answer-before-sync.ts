/** Answers to a client that leave before what they promise is on the disk. */
import { callsIn, Imported } from '../imports.ts'
import type { Rule } from '../rule.ts'
import type { Call } from '../syntax.ts'
import { fileActions, scopesOf } from './durability.ts'

const CLIENT = /^(res|response|reply|socket|ctx|conn|connection|ws|client|channel|callback|respond)$/
const ANSWERS = new Set([
  'end',
  'send',
  'json',
  'write',
  'reply',
  'respond',
  'ack',
  'writeHead',
  'status',
  'code',
])

export const answerBeforeSync: Rule = {
  name: 'answer-before-sync',
  severity: 'warn',
  text: 'A client gets its answer before the write is synced.',
  why: 'A write stays in memory until fsync: if the power fails after the answer, the client was promised what is gone.',
  fix: 'Call `fdatasync` (or write with `{ flush: true }`) and wait for it before the answer; many writes can share one sync.',
  *find(file) {
    const fs = new Imported(file, 'fs', 'fs/promises')
    if (fs.none) return
    for (const scope of scopesOf(file)) {
      const actions = fileActions(file, scope, fs)
      const write = actions.find(({ kind }) => kind === 'write')
      if (write === undefined || actions.some(({ kind }) => kind === 'sync')) continue
      const answer = callsIn(file.below(scope, true)).find(
        (call) => isAnswer(call) && call.node.start > write.call.node.end,
      )
      if (answer !== undefined)
        yield {
          node: answer.node,
          found: `${answer.path.join('.')}() answers, but ${write.target} was written without fsync`,
        }
    }
  },
}

function isAnswer({ path, name }: Call): boolean {
  return path.length === 2 ? CLIENT.test(path[0]) && ANSWERS.has(name) : false
}
