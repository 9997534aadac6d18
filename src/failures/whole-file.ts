/**
 * Files that are there whole or not at all: written under another name, then renamed. A process that is killed, or a disk
 * that is full, leaves the old file or none. The other name begins with a dot and ends in `.part`.
 */
import { accessSync, constants, existsSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'

export function writeWhole(path: string, text: string): void {
  // A device or a pipe cannot be renamed onto.
  if (statSync(path, { throwIfNoEntry: false })?.isFile() === false) {
    writeFileSync(path, text)
    return
  }
  const part = join(dirname(path), `.${basename(path)}.${process.pid}.part`)
  try {
    writeFileSync(part, text)
    renameSync(part, path)
  } catch (error) {
    rmSync(part, { force: true })
    throw error
  }
}

/** Why a file cannot be written at a path, as far as can be seen without writing; null if nothing speaks against it. */
export function unwritable(path: string): string | null {
  const entry = statSync(path, { throwIfNoEntry: false })
  if (entry?.isDirectory() === true) return `${path} is a folder`
  if (entry !== undefined) return unless(() => accessSync(path, constants.W_OK))
  return existsSync(dirname(path)) ? unwritableFolder(dirname(path)) : `there is no folder ${dirname(path)}`
}

/** Why nothing can be written in a folder, which need not be there yet. */
export function unwritableFolder(folder: string): string | null {
  let nearest = folder
  while (!existsSync(nearest) && dirname(nearest) !== nearest) nearest = dirname(nearest)
  if (!statSync(nearest).isDirectory()) return `${nearest} is not a folder`
  return unless(() => accessSync(nearest, constants.W_OK | constants.X_OK))
}

function unless(act: () => void): string | null {
  try {
    act()
    return null
  } catch (error) {
    return (error as Error).message
  }
}
