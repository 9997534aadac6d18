/**
 * Where the nodes of a run are: the one interface between the cluster and machines. A backend gives every node a machine
 * and all of them a network; the cluster, the faults and the report do not know which backend they have.
 */
import type { RunResources } from '../../cleanup/run-resources.ts'
import type { SeenBytes } from '../../proxy/proxy.ts'
import type { Exit, Launch } from '../node-process.ts'
import type { Network } from '../network.ts'
import type { ProcessId } from '../process-state.ts'

export const BACKENDS = ['local', 'namespaces', 'ssh', 'docker'] as const
export type BackendName = (typeof BACKENDS)[number]

/** The process of a node, from start to start, wherever it runs. */
export interface NodeControl {
  /** Files of this machine that its outputs are appended to. */
  readonly stdout: string
  readonly stderr: string
  readonly alive: boolean
  /** The process that runs now; its number is that of its machine. */
  readonly id: ProcessId | null
  /** All processes of the node. */
  readonly pids: readonly number[]
  /** Resolves when the process runs; rejects if its program cannot be started. */
  start(launch: Launch, exited: (exit: Exit) => void): Promise<ProcessId>
  /** Sends a signal to every process of the node; false if none was there. */
  signal(name: NodeJS.Signals): boolean
  /** The exit of the process that runs now, or null after some time. */
  exit(withinMs: number): Promise<Exit | null>
  /** The states of all threads of all processes of the node. */
  states(): string[]
}

export interface CommandResult {
  readonly status: number | null
  readonly stdout: string
  readonly stderr: string
}

/** What a command runs with, besides its words. */
export type CommandPlace = Pick<Launch, 'cwd' | 'env' | 'user'>

/** The place of one node. */
export interface Machine {
  readonly process: NodeControl
  /** Everything that the node writes, on its own machine. */
  readonly disk: string
  /** Whether this tool can open files of the disk itself, and processes of the node are processes of this machine. */
  readonly isHere: boolean
  makeFolder(path: string): void
  /** Gives the disk to the user that the node's program runs as, where this tool may do so. */
  giveTo(user: string): void
  write(path: string, text: string): void
  /** Runs a command to its end. */
  run(command: readonly string[], place: CommandPlace): CommandResult
  /** The command of this tool's machine that runs a command on the node's, whatever became of the run; null: its machine goes as a whole. */
  later(command: readonly string[]): readonly string[] | null
  /** The bytes of a file of the disk; null if there is none. */
  read(path: string): Buffer | null
}

/** What a backend learns about a run before it begins. */
export interface BackendSetup {
  /** Names of nodes in the order of their numbers, from 1. */
  readonly nodes: readonly string[]
  readonly resources: RunResources
  /** Where outputs of nodes are kept. */
  readonly logs: string
  readonly random: () => number
  /** Whether nodes are also known by one address to all: systems announce one. */
  readonly shared: boolean
  /** Whether faults change the network. */
  readonly weather: boolean
  /** Called with what nodes send before it is passed on, where it passes through this tool. */
  readonly saw: (seen: SeenBytes) => void
}

export interface Backend {
  readonly name: BackendName
  readonly network: Network
  /** One per node. */
  readonly machines: readonly Machine[]
  /** Makes machines and network. Whatever it makes is in the manifest before. */
  begin(): Promise<void>
  /** The address at which a node itself listens; numbers count from 1. */
  own(node: number): string
  /** The address under which `viewer` (a node, `CLIENTS` or `ANYONE`) knows a node. */
  seen(viewer: number, node: number): string
  /** What makes the run doubtful, such as a connection to a machine that broke. */
  readonly doubts: readonly string[]
}

/** A backend as the command line has chosen it. */
export interface ChosenBackend {
  readonly name: BackendName
  create(setup: BackendSetup): Backend
  /** Gives back what was taken for the choice. */
  release(): void
}
