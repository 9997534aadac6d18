/** Reading arguments: what several commands share. A wrong argument is a usage error, never a stack. */
import { Command, CommanderError, InvalidArgumentError, Option } from 'commander'
import { UsageError } from '../kernel/errors.ts'
import { COMMANDS, ending, type CommandName } from './commands.ts'

/** A command that throws instead of ending the process; its help ends with examples and exit codes. */
export function describe(name: CommandName): Command {
  const { summary } = COMMANDS[name]
  return new Command(`wavetank ${name}`)
    .description(summary)
    .exitOverride()
    .addHelpText('afterAll', () => `\n${ending(COMMANDS[name])}`.trimEnd())
}

/** What stands for `[names...]` in the help. */
export const NAMES =
  'names of simulations, parts of their names or files, or paths of simulation files; FILE › NAME is one of a file'

/** The command with its arguments; null if help was asked for and printed. */
export function parse(command: Command, args: readonly string[]): Command | null {
  try {
    return command.configureOutput({ writeErr: () => {} }).parse(args, { from: 'user' })
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error
    if (error.exitCode === 0) return null
    throw new UsageError(
      'ERR_WAVETANK_ARGUMENTS',
      `${command.name()}: ${error.message.replace(/^error: /, '')}`,
      { cause: error },
    )
  }
}

/** JSON is asked for in one way by every command. */
export function json(): Option {
  return new Option('--json', 'answer as JSON').conflicts('reporter')
}

/** Forms of a report other than JSON; the first is the default. */
export function reporter(...forms: readonly string[]): Option {
  const option = new Option('--reporter <name>', `form of the answer: ${forms.join(', ')}`).default(forms[0])
  return option.argParser((name: string) => {
    if (name === 'json') throw new InvalidArgumentError('JSON is asked for by --json.')
    if (!forms.includes(name)) throw new InvalidArgumentError(`Allowed choices are ${forms.join(', ')}.`)
    return name
  })
}

export function output(what: string): Option {
  return new Option('-o, --output <file>', `write ${what} to a file`)
}

export function positive(text: string): number {
  const number = Number(text)
  if (!Number.isSafeInteger(number) || number < 1)
    throw new InvalidArgumentError('expected a positive integer')
  return number
}

export function natural(text: string): number {
  const number = Number(text)
  if (!Number.isSafeInteger(number) || number < 0)
    throw new InvalidArgumentError('expected a non-negative integer')
  return number
}

/** `100`, or `from..to` with both ends included. */
export function seedRange(text: string): { first?: number; count: number } {
  const range = /^(\d+)\.\.(\d+)$/.exec(text)
  if (range === null) return { count: positive(text) }
  const [first, last] = [natural(range[1]), natural(range[2])]
  if (last < first) throw new InvalidArgumentError('expected a count or from..to')
  return { first, count: last - first + 1 }
}

/** `i/n`, counted from 1. */
export function shard(text: string): { index: number; of: number } {
  const parts = /^(\d+)\/(\d+)$/.exec(text)
  const [index, of] = parts === null ? [0, 0] : [Number(parts[1]), Number(parts[2])]
  if (index < 1 || index > of) throw new InvalidArgumentError('expected i/n with 1 ≤ i ≤ n')
  return { index: index - 1, of }
}

/** `90`, `90s`, `5m`, `2h`, as milliseconds. */
export function wallTime(text: string): number {
  const parts = /^(\d+(?:\.\d+)?)(ms|s|m|h)?$/.exec(text)
  if (parts === null) throw new InvalidArgumentError('expected a duration such as 30s, 5m or 2h')
  return (
    Number(parts[1]) *
    { ms: 1, s: 1000, m: 60_000, h: 3_600_000 }[(parts[2] ?? 's') as 'ms' | 's' | 'm' | 'h']
  )
}

/** A duration that is more than none. */
export function someWallTime(text: string): number {
  const ms = wallTime(text)
  if (ms === 0) throw new InvalidArgumentError('expected a duration of more than 0, such as 30s or 5m')
  return ms
}
