/**
 * `sh -c` as a simulated process: it starts the commands of a line as its children, connects them with pipes, and ends
 * with the status of the last. A line that is one simple command is not interpreted here: the shell becomes it.
 */
import type { ProcessContext, ProcessFunction } from '../program-options.ts'
import type { Pipeline, Redirection, ShellCommand } from './shell-syntax.ts'

const NOT_FOUND = 127
const NOT_EXECUTABLE = 126
const CANNOT_OPEN = 2
const SIGNALLED = 128

/** The three descriptors of a child. */
type Descriptors = any[]

export function shell(pipelines: readonly Pipeline[]): ProcessFunction {
  return (context) => {
    const { process } = context
    const next = (index: number, status: number): void => {
      const pipeline = pipelines[index]
      if (pipeline === undefined) {
        process.exitCode = status
        return
      }
      const skipped = pipeline.when === 'success' ? status !== 0 : pipeline.when === 'failure' && status === 0
      if (skipped) next(index + 1, status)
      else if (pipeline.commands[0].words[0] === 'exit')
        process.exitCode = Number(pipeline.commands[0].words[1] ?? status)
      else runPipeline(context, pipeline, (ended) => next(index + 1, ended))
    }
    next(0, 0)
  }
}

/** Starts the commands from the last to the first: each writes into what the one after it reads from. */
function runPipeline(context: ProcessContext, { commands }: Pipeline, done: (status: number) => void): void {
  let running = commands.length
  let status = 0
  let output: unknown = 1
  for (let i = commands.length - 1; i >= 0; i--) {
    const last = i === commands.length - 1
    const stdin = i === 0 ? 0 : 'pipe'
    const child = start(context, commands[i], [stdin, output, 2], (ended) => {
      if (last) status = ended
      if (--running === 0) done(status)
    })
    // Output without a reader is dropped.
    output = child?.pid === undefined ? 'ignore' : child.stdin
  }
}

function start(
  { process, require }: ProcessContext,
  command: ShellCommand,
  stdio: Descriptors,
  done: (status: number) => void,
): { readonly pid?: number; readonly stdin: unknown } | null {
  const fs = require('fs')
  const opened: number[] = []
  const fail = (message: string, status: number): null => {
    process.stderr.write(`/bin/sh: 1: ${message}\n`)
    process.nextTick(done, status)
    return null
  }
  for (const redirection of command.redirections) {
    try {
      stdio[redirection.fd] = redirected(fs, redirection, stdio, opened)
    } catch {
      const action = redirection.kind === 'read' ? 'open' : 'create'
      return fail(`cannot ${action} ${redirection.target}`, CANNOT_OPEN)
    }
  }
  const [name, ...args] = command.subshell === null ? command.words : ['/bin/sh', '-c', command.subshell]
  if (name === undefined) {
    process.nextTick(done, 0)
    return null
  }
  const env = { ...process.env, ...command.assignments }
  const child = require('child_process').spawn(name, args, { stdio, env })
  for (const fd of opened) fs.closeSync(fd)
  child.on('error', ({ code }: NodeJS.ErrnoException) => {
    if (code === 'EACCES') fail(`${name}: Permission denied`, NOT_EXECUTABLE)
    else fail(`${name}: not found`, NOT_FOUND)
  })
  child.on('exit', (code: number | null, signal: NodeJS.Signals | null) => {
    const { signals } = require('os').constants
    done(code ?? SIGNALLED + (signal === null ? 0 : (signals[signal] as number)))
  })
  return child
}

function redirected(fs: any, { kind, target }: Redirection, stdio: Descriptors, opened: number[]): unknown {
  // Node opens /dev/null in place of a standard descriptor that is closed.
  if (kind === 'dup') return target === '-' ? 'ignore' : stdio[Number(target)]
  if (target === '/dev/null') return 'ignore'
  const fd = fs.openSync(target, { read: 'r', write: 'w', append: 'a' }[kind]) as number
  opened.push(fd)
  return fd
}
