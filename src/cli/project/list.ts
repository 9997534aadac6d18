/** `wavetank list`: the simulations of the project, or with `--races` the races that its test files declare. */
import type { Command } from 'commander'
import { relative } from 'node:path'
import { table } from '../../report/form/table.ts'
import { describe, json, NAMES, output, parse } from '../arguments.ts'
import { declarations, openProject, select, warnOfBroken, withPool } from '../run/selection.ts'
import { write } from '../terminal.ts'

export function command(): Command {
  return describe('list')
    .argument('[names...]', NAMES)
    .option('--races', 'the races that test files declare, in place of simulations')
    .addOption(json())
    .addOption(output('the list'))
}

export async function run(args: readonly string[]): Promise<number> {
  const given = parse(command(), args)
  if (given === null) return 0
  const options = given.opts<{ races?: boolean; json?: boolean; output?: string }>()
  if (options.races === true) {
    const { listRaces } = await import('./races.ts')
    return listRaces(given.args, options)
  }
  const project = await openProject(process.cwd(), given.args)
  const declared = await withPool(project.root, { jobs: 1 }, (pool) => declarations(project, pool))
  const found = select(declared, given.args)
  const code = warnOfBroken(declared, given.args) ? 254 : 0
  const relativeFiles = found.map((each) => ({ ...each, file: relative(process.cwd(), each.file) }))
  if (options.json === true) {
    write(`${JSON.stringify(relativeFiles, null, 2)}\n`, options.output)
    return code
  }
  const rows = relativeFiles.map(({ name, file, processes, invariants }) => {
    const groups = processes.map(({ group, count: [least, most] }) =>
      most === 1 ? group : `${group} × ${least === most ? least : `${least}–${most}`}`,
    )
    return [name, groups.join(', '), invariants.length, file]
  })
  write(`${table(['simulation', 'processes', 'invariants', 'file'], rows, '').join('\n')}\n`, options.output)
  return code
}
