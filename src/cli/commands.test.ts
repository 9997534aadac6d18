import type { Command } from 'commander'
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { UsageError } from '../kernel/errors.ts'
import { parse } from './arguments.ts'
import { allExamples, COMMANDS, overview, type CommandName } from './commands.ts'

const NAMES = Object.keys(COMMANDS) as CommandName[]
const DOCS = readFileSync(new URL('../../docs/cli.md', import.meta.url), 'utf8')

/** Reads every call of wavetank in a line for the shell, as the commands would; what they refuse is thrown. */
async function parseLine(line: string): Promise<Command[]> {
  const calls = line
    .split(/ (?:&&|\|) /)
    .map((part) => /(?:^| |\/)wavetank (?<args>.*)$/.exec(part)?.groups?.args)
    .filter((args) => args !== undefined)
  return Promise.all(
    calls.map(async (text) => {
      const [name, ...args] = [...text.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, bare]) => quoted ?? bare)
      const { command } = await COMMANDS[name as CommandName].load()
      return parse(command(), args)!
    }),
  )
}

/** The long flags of a command, without `--help`. */
async function flagsOf(name: CommandName): Promise<string[]> {
  const { command } = await COMMANDS[name].load()
  return command().options.map(({ long }) => long!)
}

describe('the examples of the commands', () => {
  it.each(allExamples())('$command', async ({ command }) => {
    const calls = await parseLine(command)
    expect(calls.length).toBeGreaterThan(0)
  })

  it.each([
    'npx wavetank run --sead 1',
    'npx wavetank run --level windy',
    'npx wavetank init && npx wavetank run --shard 3/2',
    'npx wavetank trace f.json --format svg',
    'npx wavetank replay',
  ])('would be refused if they were wrong: %s', async (line) => {
    await expect(parseLine(line)).rejects.toBeInstanceOf(UsageError)
  })

  it.each(NAMES)('are two to four, each of the command itself: %s', (name) => {
    const { examples } = COMMANDS[name]
    expect(examples.length).toBeGreaterThanOrEqual(2)
    expect(examples.length).toBeLessThanOrEqual(4)
    for (const { command } of examples) expect(command).toContain(`wavetank ${name}`)
  })
})

describe('the help', () => {
  it.each(NAMES)('of %s ends with its examples and its exit codes', async (name) => {
    const { command } = await COMMANDS[name].load()
    let help = ''
    command()
      .configureOutput({ writeOut: (text) => (help += text) })
      .outputHelp()
    const { examples, exitCodes } = COMMANDS[name]
    const ending = help.slice(help.indexOf('\nExamples:\n'))
    for (const example of examples) expect(ending).toContain(`\n  # ${example.what}\n  ${example.command}\n`)
    for (const [code, meaning] of Object.entries(exitCodes)) expect(ending).toContain(`${code}  ${meaning}\n`)
    expect(ending.trimEnd()).toMatch(/\n +255 {2}a failure of wavetank itself$/)
  })

  it('of wavetank names every command', () => {
    for (const name of NAMES) expect(overview()).toContain(`  ${name.padEnd(10)}${COMMANDS[name].summary}`)
  })
})

describe('JSON', () => {
  it.each(NAMES)('is written to a file in one way, if %s answers with it', async (name) => {
    const flags = await flagsOf(name)
    const places = ['--output', '--store'] // a run on real processes leaves a folder of files
    expect(!flags.includes('--json') || places.some((flag) => flags.includes(flag))).toBe(true)
  })
})

describe('docs/cli.md', () => {
  /** The rows about a command: its line in the table, and the section of its own where it has one. */
  const about = (name: CommandName): string =>
    [
      DOCS.split('\n').find((line) => line.startsWith(`| \`wavetank ${name}`)),
      DOCS.split(/^## /m).find((section) => section.startsWith(`wavetank ${name}\n`)),
    ].join('\n')

  it.each(NAMES)('has every flag of %s and none that it does not know', async (name) => {
    const documented = [...about(name).matchAll(/--[a-z][a-z-]*/g)].map(([flag]) => flag)
    expect([...new Set(documented)].toSorted()).toEqual((await flagsOf(name)).toSorted())
  })

  it.each(NAMES)('has what the exit codes of %s mean', (name) => {
    for (const [code, meaning] of Object.entries(COMMANDS[name].exitCodes))
      expect(DOCS).toMatch(
        new RegExp(`\\| \`${name}\` .*\\*\\*${code}\\*\\* ${meaning.replace(/[.*+?]/g, '\\$&')}`),
      )
  })
})
