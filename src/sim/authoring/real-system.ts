/**
 * A system under test that is no Node program: how one node of it is configured, started and asked. It takes the place
 * of `entry` in a simulation's `processes` and runs only on real machines (`wavetank real test`); src/real does what it
 * says. This file has the words.
 */

/** One node, as a system sees it. */
export interface SystemNode {
  readonly name: string
  readonly group: string
  /** From 0. */
  readonly index: number
  /** The node's own folder: everything it writes belongs there. It is removed after the run. */
  readonly folder: string
  /** The address at which the node listens. */
  readonly listen: string
  /** The address under which everybody else knows this node: what it announces. */
  readonly address: string
  /** All nodes of the group, with the addresses under which they are known. */
  readonly nodes: readonly { readonly name: string; readonly address: string }[]
  /** Addresses of the nodes of every group. */
  readonly hosts: Readonly<Record<string, readonly string[]>>
}

export interface SystemCommand {
  readonly command: string
  readonly args?: readonly string[]
  readonly env?: Readonly<Record<string, string>>
  /** Configuration: texts by their paths in the node's folder, written before every start, on the node's machine. */
  readonly files?: Readonly<Record<string, string>>
  /** Commands that run to their end before this one, such as `initdb`; only at the first start of a folder. */
  readonly prepare?: readonly (readonly string[])[]
  /** The user that runs it, where the tool runs as root and the program refuses to. */
  readonly user?: string
}

export interface RealSystem {
  /** `etcd`, `redis`: for people. */
  readonly name: string
  /** Programs that must be there, with the Debian package that has them. */
  readonly needs: Readonly<Record<string, string>>
  /** The TCP ports of a node that others use. */
  readonly ports: readonly number[]
  /** What installs them on a machine, where it is not `apt-get install` with the packages of `needs`. */
  readonly install?: readonly (readonly string[])[]
  /** How a node is configured and started. Called before every start. */
  start(node: SystemNode): SystemCommand | Promise<SystemCommand>
  /** Whether the node serves. Asked every 100 ms after a start. */
  ready(node: SystemNode): boolean | Promise<boolean>
  /** Names of the nodes that lead now, for faults aimed at primaries. */
  primaries?(nodes: readonly SystemNode[]): Promise<readonly string[]>
  /**
   * Commands that remove what the system keeps outside its folder. They run on the node's machine before its first start
   * and after the run, however it ended.
   */
  wipe?(node: SystemNode): readonly (readonly string[])[]
  /** The command of an orderly stop, run on the node's machine; without one, `stopSignal` is sent. */
  stop?(node: SystemNode): readonly string[]
  /** Milliseconds since 1970 by the node's own wall clock, asked of the program: the evidence of clock faults. */
  clock?(node: SystemNode): Promise<number>
  /** The signal of an orderly stop; SIGTERM by default. */
  readonly stopSignal?: 'SIGTERM' | 'SIGINT' | 'SIGQUIT'
  /** Log files in the node's folder that go to the results besides stdout and stderr. */
  readonly logs?: readonly string[]
}
