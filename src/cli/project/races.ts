/** `wavetank list --races`: the races that the project's test files declare. The files are read, not run. */
import { readFileSync } from 'node:fs'
import { relative } from 'node:path'
import { loadConfig, testFiles } from '../../host/project.ts'
import { declaredRaces, parse } from '../../review/index.ts'
import { table } from '../../report/form/table.ts'
import { write } from '../terminal.ts'

export async function listRaces(
  wanted: readonly string[],
  { json, output }: { readonly json?: boolean; readonly output?: string },
): Promise<number> {
  const { folder } = await loadConfig(process.cwd())
  const found = testFiles([folder])
    .flatMap((file) => declaredRaces(file, readFileSync(file, 'utf8'), parse))
    .map((race) => ({ ...race, file: relative(process.cwd(), race.file) }))
    .filter(
      ({ file, title }) => wanted.length === 0 || wanted.some((each) => `${file} ${title}`.includes(each)),
    )
  const rows = found.map(({ file, line, title }) => [title, `${file}:${line}`])
  const text =
    json === true ? JSON.stringify(found, null, 2) : table(['race', 'declared'], rows, '').join('\n')
  write(`${text}\n`, output)
  return 0
}
