#!/usr/bin/env node
/**
 * The command line: finds the command, loads only its file, and turns its answer into an exit code. 254 is the user's
 * mistake, 255 ours; commands.ts says what the others mean.
 */
import { UsageError } from '../kernel/errors.ts'
import { didYouMean } from '../kernel/expectation.ts'
import { printable } from '../report/form/printable.ts'
import { COMMANDS, overview, type CommandName } from './commands.ts'

async function main(args: readonly string[]): Promise<number> {
  const [name, ...rest] = args
  if (name === 'help' && rest.length > 0) return main([rest[0], '--help'])
  if (name === undefined || name === 'help' || name === '--help' || name === '-h') {
    process.stdout.write(overview())
    return name === undefined ? 254 : 0
  }
  if (name === '--version' || name === '-V') {
    const { readFileSync } = await import('node:fs')
    const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8')
    process.stdout.write(`${(JSON.parse(text) as { version: string }).version}\n`)
    return 0
  }
  if (!isCommand(name))
    throw new UsageError(
      'ERR_WAVETANK_UNKNOWN_COMMAND',
      `there is no command ${name}${didYouMean(name, Object.keys(COMMANDS))}`,
    )
  const command = await COMMANDS[name].load()
  return command.run(rest)
}

function isCommand(name: string): name is CommandName {
  return Object.hasOwn(COMMANDS, name)
}

try {
  process.exitCode = await main(process.argv.slice(2))
} catch (error) {
  const usage = error instanceof UsageError
  const text = usage ? error.message : ((error as Error)?.stack ?? String(error))
  process.stderr.write(`wavetank: ${printable(text)}\n`)
  process.exitCode = usage ? 254 : 255
}
