/** The files of the project in the working directory: read for a look at it, and written only if they are new. */
import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { writeWhole } from '../../failures/whole-file.ts'
import { UsageError } from '../../kernel/errors.ts'
import type { ProjectFiles } from '../../scaffold/found-program.ts'

export const PROJECT: ProjectFiles = {
  read(path) {
    try {
      return readFileSync(join(process.cwd(), path), 'utf8')
    } catch {
      return null
    }
  },
}

export function writeNew(file: string, text: string): void {
  const path = join(process.cwd(), file)
  if (existsSync(path))
    throw new UsageError(
      'ERR_WAVETANK_SCAFFOLD',
      `scaffold: ${file} is there already; --name gives another one`,
    )
  mkdirSync(dirname(path), { recursive: true })
  writeWhole(path, text)
}
