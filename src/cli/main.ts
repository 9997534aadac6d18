#!/usr/bin/env node
/**
 * The command line: finds the command, loads only its file, and turns its answer into an exit code. A command is a
 * file beside this one that exports `run(args)` and resolves to 0 (good), 1 (a violation was found), 2 (unknown);
 * 254 is the user's mistake, 255 ours.
 */
import { UsageError } from '../kernel/errors.ts'

interface Command {
  readonly summary: string
  load(): Promise<{ run(args: readonly string[]): Promise<number> }>
}

const COMMANDS: Readonly<Record<string, Command>> = {
  run: { summary: 'run simulations', load: () => import('./run.ts') },
  list: { summary: 'list the simulations of the project', load: () => import('./list.ts') },
  replay: { summary: 'run a recorded failure again', load: () => import('./replay.ts') },
  shrink: { summary: 'make a recorded failure smaller', load: () => import('./shrink.ts') },
  trace: { summary: 'show the steps of a recorded failure', load: () => import('./trace.ts') },
  curve: { summary: 'show from where a race was doomed', load: () => import('./curve.ts') },
  explain: { summary: 'explain a race in plain language', load: () => import('./explain.ts') },
  init: { summary: 'write a configuration and a first simulation', load: () => import('./init.ts') },
  check: { summary: 'judge a recorded history', load: () => import('./check.ts') },
}

async function main(args: readonly string[]): Promise<number> {
  const [name, ...rest] = args
  if (name === undefined || name === 'help' || name === '--help' || name === '-h') {
    process.stdout.write(help())
    return name === undefined ? 254 : 0
  }
  if (name === '--version' || name === '-V') {
    const { readFileSync } = await import('node:fs')
    const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8')
    process.stdout.write(`${(JSON.parse(text) as { version: string }).version}\n`)
    return 0
  }
  if (!Object.hasOwn(COMMANDS, name)) {
    throw new UsageError('ERR_UNKNOWN_COMMAND', `unknown command ${name}; try wavetank --help`)
  }
  const command = await COMMANDS[name].load()
  return command.run(rest)
}

function help(): string {
  const lines = Object.entries(COMMANDS).map(([name, { summary }]) => `  ${name.padEnd(12)}${summary}`)
  return [
    'Usage: wavetank <command> [options]',
    '',
    ...lines,
    '',
    'wavetank <command> --help says more.',
    'Exit codes: 0 held, 1 violated, 2 unknown or a coverage gap, 254 wrong usage, 255 a failure of wavetank itself.',
    '',
  ].join('\n')
}

try {
  process.exitCode = await main(process.argv.slice(2))
} catch (error) {
  const usage = error instanceof UsageError
  const text = usage ? error.message : ((error as Error)?.stack ?? String(error))
  process.stderr.write(`wavetank: ${text}\n`)
  process.exitCode = usage ? 254 : 255
}
