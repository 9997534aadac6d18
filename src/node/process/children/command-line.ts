/**
 * The programs of a simulated host, by command line: Node with its options and a script, a shell, or one of a few tools
 * that programs commonly call. Anything else is not installed.
 */
import { TOOLS } from './tools.ts'
import { shell } from './shell.ts'
import { parseShell } from './shell-syntax.ts'
import type { ProcessFunction } from '../program-options.ts'

export interface Command {
  readonly entry: string | ProcessFunction | { readonly main: string }
  readonly execArgv: readonly string[]
  readonly argv: readonly string[]
  readonly env: Readonly<Record<string, string>>
}

/** Options of Node that take a value as the next argument. */
const WITH_VALUE = new Set([
  '-r',
  '--require',
  '--import',
  '--loader',
  '--experimental-loader',
  '-C',
  '--conditions',
  '--input-type',
  '--title',
  '--stack-trace-limit',
  '--env-file',
  '--icu-data-dir',
  '--openssl-config',
  '--redirect-warnings',
  '--trace-event-categories',
])

/** The command that a file name with arguments stands for; null when there is none of that name. */
export function commandFor(
  file: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  execPath: string,
): Command | null {
  const name = file.slice(file.lastIndexOf('/') + 1)
  if (file === execPath || name === 'node') return nodeCommand(args, env)
  if (name === 'sh' || name === 'bash') return shellCommand(args, env, execPath)
  const tool = TOOLS.get(name)
  return tool === undefined ? null : { entry: tool, execArgv: [], argv: args, env }
}

function nodeCommand(args: readonly string[], env: Readonly<Record<string, string>>): Command {
  const execArgv: string[] = []
  let i = 0
  let evaluates = false
  for (; i < args.length; i++) {
    const arg = args[i]
    if (arg === '--') {
      i++
      break
    }
    if (!arg.startsWith('-') || arg === '-') break
    execArgv.push(arg)
    if (/^(-e|-p|-pe|--eval|--print)$/.test(arg) || /^--(eval|print)=/.test(arg)) {
      evaluates = true
      if (!arg.includes('=') && i + 1 < args.length) execArgv.push(args[++i])
    } else if (WITH_VALUE.has(arg) && i + 1 < args.length) execArgv.push(args[++i])
  }
  const argv = args.slice(i)
  if (evaluates) return { entry: { main: 'internal/main/eval_string' }, execArgv, argv, env }
  if (execArgv.includes('-v') || execArgv.includes('--version')) {
    return { entry: ({ process }) => process.stdout.write(`${process.version}\n`), execArgv, argv, env }
  }
  if (execArgv.includes('-c') || execArgv.includes('--check')) {
    return { entry: { main: 'internal/main/check_syntax' }, execArgv, argv, env }
  }
  if (argv.length === 0 || argv[0] === '-')
    return { entry: { main: 'internal/main/eval_stdin' }, execArgv, argv, env }
  return { entry: argv[0], execArgv, argv: argv.slice(1), env }
}

function shellCommand(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  execPath: string,
): Command | null {
  const at = args.indexOf('-c')
  if (at < 0 || args[at + 1] === undefined) return null
  const line = args[at + 1]
  const parsed = parseShell(line, env)
  if (typeof parsed === 'string') return complain(`sh: 1: ${parsed}`, 2, env)
  const [only, ...more] = parsed.length === 1 ? parsed[0].commands : []
  if (only === undefined || more.length > 0 || only.redirections.length > 0 || only.subshell !== null)
    return { entry: shell(parsed), execArgv: [], argv: [], env }
  const [name, ...rest] = only.words
  const merged = { ...env, ...only.assignments }
  if (name === undefined) return { entry: () => {}, execArgv: [], argv: [], env: merged }
  return commandFor(name, rest, merged, execPath) ?? { entry: shell(parsed), execArgv: [], argv: [], env }
}

function complain(text: string, code: number, env: Readonly<Record<string, string>>): Command {
  const entry: ProcessFunction = ({ process }) => {
    process.stderr.write(`${text}\n`)
    process.exitCode = code
  }
  return { entry, execArgv: [], argv: [], env }
}
