/**
 * A Node program as a process of the world: an entry file, or a function that gets the process's `require`, `process`
 * and `globalThis`. Every boot gets a fresh instance of the library and of the program's modules.
 */
import type { Program, RunningProgram, SimProcess } from '../world/process.ts'
import { NodeProcess } from './process.ts'
import type { ProcessSite } from './site.ts'
import type { Stdio } from './stdio.ts'
import { NodeThread } from './thread.ts'

/** What a process function gets: its own Node. */
export interface ProcessContext {
  readonly require: (id: string) => any
  readonly process: NodeJS.Process
  readonly globalThis: typeof globalThis
}

export type ProcessFunction = (context: ProcessContext) => unknown

export interface Output {
  readonly process: string
  readonly fd: 1 | 2
  readonly bytes: Uint8Array
  readonly timeUs: number
}

export interface NodeProgramOptions {
  readonly entry: string | ProcessFunction
  readonly argv?: readonly string[]
  readonly execArgv?: readonly string[]
  readonly env?: Readonly<Record<string, string>>
  readonly cwd?: string
  readonly loader?: ProcessSite['loader']
  readonly onOutput?: (output: Output) => void
}

/** Input is empty, output is captured. */
const STDIO: readonly Stdio[] = [{ type: 'ignore' }, { type: 'output', fd: 1 }, { type: 'output', fd: 2 }]

const EXEC_PATH = '/usr/local/bin/node'

export class NodeProgram implements Program {
  private readonly options: NodeProgramOptions

  constructor(options: NodeProgramOptions) {
    this.options = options
  }

  boot(process: SimProcess): RunningProgram {
    const running = new NodeProcess(NodeThread.get(), this.site(process))
    running.start()
    return {
      signal: (name) => running.signal(name),
      destroy: () => running.destroy(),
    }
  }

  private site(process: SimProcess): ProcessSite {
    const { options } = this
    const { entry } = options
    const { kernel, host, name } = process
    return {
      kernel,
      actor: process.actor,
      name,
      pid: process.pid,
      ppid: 1,
      boot: process.boots,
      host,
      argv: [typeof entry === 'string' ? entry : `/${name}.js`, ...(options.argv ?? [])],
      execArgv: options.execArgv ?? [],
      env: options.env ?? {},
      cwd: options.cwd ?? '/',
      stdio: STDIO,
      execPath: EXEC_PATH,
      loader: options.loader ?? {},
      run: (node) => runEntry(node, entry),
      wallMs: () => host.clock.nowMs(),
      output: (fd, bytes) => options.onOutput?.({ process: name, fd, bytes, timeUs: kernel.now }),
      exited: (code, signal) => process.exit({ code, signal }),
      kill: () => 'ESRCH',
      chdir: (node, directory) => {
        node.cwd = directory
      },
    }
  }
}

function runEntry(node: NodeProcess, entry: string | ProcessFunction): void {
  if (typeof entry === 'function') {
    const { requirePublic } = node.modules
    entry({
      require: (id) => requirePublic(id.startsWith('node:') ? id.slice(5) : id),
      process: node.object as unknown as NodeJS.Process,
      globalThis: node.global as unknown as typeof globalThis,
    })
  } else {
    node.loader!.initialize()
    node.loader!.runMain(entry)
  }
}
