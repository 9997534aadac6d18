/** `wavetank list`: the simulations of the project. */
import type { Command } from 'commander'
import { relative } from 'node:path'
import { table } from '../report/table.ts'
import { describe, parse } from './arguments.ts'
import { declarations, openProject, select, withPool } from './selection.ts'

export function command(): Command {
  return describe('list')
    .argument('[names...]', 'names of simulations, or parts of their names or files')
    .option('--json', 'as JSON')
}

export async function run(args: readonly string[]): Promise<number> {
  const given = parse(command(), args)
  if (given === null) return 0
  const options = given.opts<{ json?: boolean }>()
  const project = await openProject(process.cwd())
  const found = await withPool(project.root, 1, async (pool) =>
    select(await declarations(project, pool), given.args),
  )
  const relativeFiles = found.map((each) => ({ ...each, file: relative(process.cwd(), each.file) }))
  if (options.json === true) {
    process.stdout.write(`${JSON.stringify(relativeFiles, null, 2)}\n`)
    return 0
  }
  const rows = relativeFiles.map(({ name, file, processes, invariants }) => {
    const groups = processes.map(({ group, count: [least, most] }) =>
      most === 1 ? group : `${group} × ${least === most ? least : `${least}–${most}`}`,
    )
    return [name, groups.join(', '), invariants.length, file]
  })
  process.stdout.write(`${table(['simulation', 'processes', 'invariants', 'file'], rows, '').join('\n')}\n`)
  return 0
}
