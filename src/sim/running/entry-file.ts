/**
 * Whether the program of a process is there at all. A path with a slip in it is a mistake of the simulation, and would
 * otherwise look like a system that crashes at every boot.
 */
import { basename, dirname, relative } from 'node:path'
import type { ImageMount } from '../../world/disk/image.ts'

/** Why there is no program at a path; null if there is one, as Node looks for it: with an extension left out, or a folder. */
export function missingEntry(path: string, image: readonly ImageMount[]): string | null {
  const within = ({ at }: ImageMount): boolean => !relative(at, path).startsWith('..')
  const mount = image.find(within)
  if (mount === undefined)
    return `there is no file ${path} on the disks: they show ${image.map(({ at }) => at).join(', ') || 'none'}`
  const name = basename(path)
  let names: string[]
  try {
    names = [...mount.reader.list(dirname(path)).keys()]
  } catch {
    return `there is no folder ${dirname(path)}`
  }
  return names.some((each) => each === name || each.startsWith(`${name}.`))
    ? null
    : `there is no file ${path}`
}
