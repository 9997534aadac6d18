/**
 * Does every message that was broadcast reach every node?
 *
 * `broadcast` sends one, `read` gives all that a node has seen. The question is that of `set-full`: what became known
 * stays, and after the last broadcast every node's final read has all of it. A message of unknown outcome may be
 * anywhere or nowhere, until a read has it: then it must reach every node.
 */
import type { History } from '../../history/history.ts'
import { checkOptions, named, type OptionSchema } from '../options.ts'
import type { CheckResult } from '../result.ts'
import { elementsStay, type SetFullDetails } from './set-full.ts'

export interface BroadcastOptions {
  readonly broadcast?: string
  readonly read?: string
}

export const BROADCAST_OPTIONS: OptionSchema<BroadcastOptions> = {
  broadcast: named('sends a message', 'broadcast'),
  read: named('reads all messages that a node has seen', 'read'),
}

export function broadcast(history: History, options: BroadcastOptions = {}): CheckResult<SetFullDetails> {
  checkOptions('broadcast', BROADCAST_OPTIONS, options)
  const { broadcast: add = 'broadcast', read = 'read' } = options
  return elementsStay('broadcast', history, { add, read })
}
