/** `wavetank doctor`: what this machine can do for real tests, and what to install. */
import type { Command } from 'commander'
import { examine, installLine } from '../real/doctor/examination.ts'
import { table } from '../report/form/table.ts'
import { describe, json, output, parse } from './arguments.ts'
import { write } from './terminal.ts'

export function command(): Command {
  return describe('doctor').addOption(json()).addOption(output('the answer'))
}

export async function run(args: readonly string[]): Promise<number> {
  const given = parse(command(), args)
  if (given === null) return 0
  const findings = await examine(process.env.PATH ?? '')
  const install = installLine(findings)
  const works = findings.every(({ present, required }) => present || !required)
  const options = given.opts<{ json?: boolean; output?: string }>()
  if (options.json === true) {
    write(`${JSON.stringify({ works, findings, install }, null, 2)}\n`, options.output)
    return works ? 0 : 2
  }
  const rows = findings.map(({ name, present, purpose, detail }) => [
    present ? '✓' : '✗',
    name,
    detail,
    purpose,
  ])
  const end = works ? 'Real tests work on this machine.' : 'Real tests do not work on this machine.'
  const advice =
    install === null ? [] : ['', 'To install what is missing on Debian, as root:', `  ${install}`]
  const lines = [...table(['', 'what', 'where', 'for'], rows, ''), '', end, ...advice, '']
  write(lines.join('\n'), options.output)
  return works ? 0 : 2
}
