/** Where programs are. */
import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'

const SYSTEM_FOLDERS = ['/usr/sbin', '/sbin']

/** Where a program is; null if it is nowhere. */
export function findProgram(name: string, path: string, more: readonly string[] = []): string | null {
  if (name.startsWith('/')) return isExecutable(name) ? name : null
  const folders = [...path.split(delimiter), ...SYSTEM_FOLDERS, ...more].filter((folder) => folder !== '')
  return folders.map((folder) => join(folder, name)).find(isExecutable) ?? null
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK)
    return true
  } catch {
    return false
  }
}
