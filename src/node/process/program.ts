/**
 * A Node program as a process of the world: an entry file, or a function that gets the process's `require`, `process`
 * and `globalThis`. Every boot gets a fresh instance of the library and of the program's modules.
 */
import type { Actor } from '../../kernel/actor.ts'
import { TcpEndpoint } from '../../world/network/tcp-endpoint.ts'
import { SimProcess, type Program, type RunningProgram } from '../../world/process.ts'
import { signalName } from '../bindings/signal-wrap.ts'
import { StreamHandle } from '../bindings/network/stream-wrap.ts'
import { settleGlobal } from '../globals/global.ts'
import { NodeProcess } from './process.ts'
import type { ProcessPlacement } from './placement.ts'
import type { Entry, NodeProgramOptions, ProcessContext, Replacement } from './program-options.ts'
import type { RunningProcess } from './running-process.ts'
import type { Stdio } from './stdio.ts'
import { NodeThread } from '../isolation/thread.ts'

/** Options that only a child of another process has. */
interface ChildOptions {
  readonly ppid: number
  readonly argv0: string
  readonly stdio: (actor: Actor) => readonly (Stdio | undefined)[]
  readonly bootDelayUs: number
}

/** Input is empty, output is captured. */
const STDIO: readonly Stdio[] = [{ type: 'ignore' }, { type: 'output', fd: 1 }, { type: 'output', fd: 2 }]

const EXEC_PATH = '/usr/local/bin/node'

/** How long it takes to start a child. */
const SPAWN_US = 1_000

export class NodeProgram implements Program {
  readonly options: NodeProgramOptions
  private readonly child: ChildOptions | null

  constructor(options: NodeProgramOptions, child: ChildOptions | null = null) {
    this.options = options
    this.child = child
  }

  boot(process: SimProcess): RunningProgram {
    const replace = (replacement: Replacement): void => {
      const { ppid, stdio } = running.placement
      endForExec(running)
      const { argv0, ...options } = replacement
      const child = { ppid, argv0, stdio: () => stdio, bootDelayUs: SPAWN_US }
      running = new NodeProgram({ ...this.options, ...options }, child).run(process, replace)
    }
    let running = this.run(process, replace)
    return {
      signal: (name) => running.signal(name),
      destroy: () => running.destroy(),
    }
  }

  private run(process: SimProcess, replace: ProcessPlacement['replace']): NodeProcess {
    const running = new NodeProcess(NodeThread.get(), this.placement(process, replace))
    running.start(this.child?.bootDelayUs)
    return running
  }

  private placement(process: SimProcess, replace: ProcessPlacement['replace']): ProcessPlacement {
    const { options, child } = this
    const { entry } = options
    const { kernel, host, name } = process
    const script = typeof entry === 'string' ? [entry] : typeof entry === 'function' ? [`/${name}.js`] : []
    return {
      kernel,
      actor: process.actor,
      name,
      pid: process.pid,
      ppid: child?.ppid ?? 1,
      boot: process.boots,
      host,
      argv: [...script, ...(options.argv ?? [])],
      argv0: child?.argv0 ?? 'node',
      execArgv: options.execArgv ?? [],
      env: options.env ?? {},
      cwd: options.cwd ?? '/',
      stdio: child?.stdio(process.actor) ?? STDIO,
      execPath: EXEC_PATH,
      lateness: { timerUs: options.lateness?.timerUs ?? 0, poolUs: options.lateness?.poolUs ?? 0 },
      mainScript: typeof entry === 'object' ? entry.main : null,
      thread: null,
      evidence: process.evidence,
      loader: options.loader ?? {},
      program: options,
      run: (node) => runEntry(node, entry),
      wallMs: () => host.clock.nowMs(),
      output: (fd, bytes) => {
        kernel.hash.addPrinted(bytes, 'prints')
        options.onOutput?.({ process: name, fd, bytes, timeUs: kernel.now })
      },
      exited: (code, signal) => process.exit({ code, signal }),
      replace,
    }
  }
}

/** Ends a process whose place another program takes: its sockets are closed, but for those that it was born with. */
function endForExec(process: NodeProcess): void {
  const { actor, host, stdio } = process.placement
  const kept = stdio.flatMap((each) =>
    each?.type === 'pipe' && each.endpoint instanceof TcpEndpoint ? [each.endpoint] : [],
  )
  for (const handle of process.handles) if (handle instanceof StreamHandle) handle.letGoOf(kept)
  process.destroy()
  for (const endpoint of kept) host.net.disown(actor, endpoint)
  host.net.release(actor)
  for (const endpoint of kept) host.net.own(actor, endpoint)
}

/** Starts a child of a process, on its host. It outlives its parent unless it is ended. */
export function startChild(
  parent: RunningProcess,
  options: Pick<NodeProgramOptions, 'entry' | 'argv' | 'execArgv' | 'env' | 'cwd'> &
    Pick<ChildOptions, 'stdio' | 'argv0'>,
): SimProcess {
  const { placement, kernel } = parent
  const { loader, onOutput, lateness } = placement.program
  const program = new NodeProgram(
    { ...options, ...(loader && { loader }), ...(onOutput && { onOutput }), ...(lateness && { lateness }) },
    { ppid: placement.pid, argv0: options.argv0, stdio: options.stdio, bootDelayUs: SPAWN_US },
  )
  const name = `${placement.name}/${++parent.childrenStarted}`
  const child = new SimProcess(kernel, placement.evidence, placement.host, name, program)
  child.start()
  return child
}

/** Sends a signal to a process of the same host; null when it was sent, else the error's code. */
export function sendSignal(sender: RunningProcess, pid: number, number: number): string | null {
  const name = signalName(number)
  if (name === undefined && number !== 0) return 'EINVAL'
  const target = sender.placement.host.processes.find((process) => process.pid === pid && process.alive)
  if (target === undefined) return 'ESRCH'
  if (name !== undefined) sendTo(target, name)
  return null
}

/** What a program sends is part of the run, also when the other does nothing about it. */
export function sendTo(target: SimProcess, name: string): void {
  target.kernel.hash.addText(`${target.name} ${name}`, 'sends a signal to')
  target.signal(name)
}

/** The argument of a process that is a function. */
class OwnNode implements ProcessContext {
  readonly #node: RunningProcess
  #isInitialized = false

  constructor(node: RunningProcess) {
    this.#node = node
  }

  readonly require = (id: string): any => {
    const name = id.startsWith('node:') ? id.slice(5) : id
    if (name === 'module' && !this.#isInitialized) {
      this.#isInitialized = true
      this.#node.loader!.initialize()
    }
    return this.#node.modules.requirePublic(name)
  }

  get process(): NodeJS.Process {
    return this.#node.object as unknown as NodeJS.Process
  }

  get globalThis(): typeof globalThis {
    const { global } = this.#node
    settleGlobal(global)
    return global as unknown as typeof globalThis
  }
}

function runEntry(node: RunningProcess, entry: Entry): void {
  if (typeof entry === 'function') entry(new OwnNode(node))
  else if (typeof entry === 'string') {
    node.loader!.initialize()
    node.loader!.runMain(entry)
  } else node.modules.bootstrap(entry.main, node.modules.require)
}
