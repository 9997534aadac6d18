/**
 * What the nemesis did, with evidence from both sides. That a link was cut or a signal was sent is the injector's word;
 * only what was seen of the victims counts as landed: messages that were dropped, exits by SIGKILL, messages that waited
 * while nothing came out.
 */
import type { PartitionShape } from '../network/partitions.ts'
import type { Pause } from './node-process.ts'
import type { NemesisName } from './settings.ts'

export interface FaultRecord {
  readonly nemesis: NemesisName
  /** The shape of a partition. */
  readonly shape?: PartitionShape
  readonly nodes: readonly string[]
  readonly injector: string
  /** Null: nothing was seen on the victims' side, so the fault did not land. */
  readonly victim: string | null
  /** How often the victims showed it. */
  readonly signals: number
}

export function partitionRecord(
  shape: PartitionShape,
  nodes: readonly string[],
  dropped: number,
): FaultRecord {
  return {
    nemesis: 'partition',
    shape,
    nodes,
    injector: `messages between nodes cut in the shape ${shape}`,
    victim: dropped === 0 ? null : `${dropped} messages dropped at the nodes that should have received them`,
    signals: dropped,
  }
}

/** A kill has landed if every victim ended by that signal, and no other way. */
export function killRecord(nodes: readonly string[], signals: readonly (string | null)[]): FaultRecord {
  const landed = signals.length > 0 && signals.every((signal) => signal === 'SIGKILL')
  return {
    nemesis: 'kill',
    nodes,
    injector: `SIGKILL to ${nodes.join(', ') || 'no node that was running'}`,
    victim: landed ? `${nodes.join(', ')} ended by SIGKILL` : null,
    signals: landed ? signals.length : 0,
  }
}

/** A pause has landed if messages waited for a node that wrote nothing meanwhile. */
export function pauseRecord(nodes: readonly string[], pauses: readonly (Pause | null)[]): FaultRecord {
  const waited = pauses.reduce((sum, pause) => sum + (pause?.written === 0 ? pause.delivered : 0), 0)
  return {
    nemesis: 'pause',
    nodes,
    injector: `SIGSTOP to ${nodes.join(', ') || 'no node that was running'}, then SIGCONT`,
    victim: waited === 0 ? null : `${waited} messages waited for nodes that wrote nothing`,
    signals: waited,
  }
}
