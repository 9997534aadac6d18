/** What `--log-stderr`, `--log-net-send` and `--log-net-recv` show of a test, line by line. */
import { printMessage, type Message } from './protocol/envelope.ts'
import type { ClusterHooks } from './running/cluster.ts'

/** The options that ask for it. */
export interface Watching {
  readonly logStderr?: boolean
  readonly logNetSend?: boolean
  readonly logNetRecv?: boolean
}

export function watched(
  { logStderr, logNetSend, logNetRecv }: Watching,
  say: (line: string) => void,
): ClusterHooks {
  const shows = (direction: string) => (message: Message) => say(`${direction} ${printMessage(message)}`)
  return {
    ...(logStderr === true ? { onLog: (node, line) => say(`${node}: ${line}`) } : {}),
    ...(logNetSend === true ? { onSend: shows('send') } : {}),
    ...(logNetRecv === true ? { onReceive: shows('recv') } : {}),
  }
}
