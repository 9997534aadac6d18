/** `wavetank list`: the simulations of the project. */
import { relative } from 'node:path'
import { table } from '../report/table.ts'
import { describe, parse } from './arguments.ts'
import { declarations, openProject, select, withPool } from './selection.ts'

export async function run(args: readonly string[]): Promise<number> {
  const command = describe('list', 'lists the simulations of the project')
    .argument('[names...]', 'names of simulations, or parts of their names or files')
    .option('--json', 'as JSON')
  if (!parse(command, args)) return 0
  const options = command.opts<{ json?: boolean }>()
  const project = await openProject(process.cwd())
  const found = await withPool(project.root, 1, async (pool) =>
    select(await declarations(project, pool), command.args),
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
