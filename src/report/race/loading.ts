/**
 * The loading of further processes in a schedule. A process that boots reads its modules, four steps for each file, and a
 * large package has hundreds of them: in the text they are part of the row in which the process boots. The modules of the
 * test itself are loaded before its body begins and are never shown.
 */
import type { ScheduleStep } from '../../explore/running/recording.ts'

const FILE_STEP = /^(open|fstat|read|close|stat|lstat|readlink|realpath|readdir) /

interface Boot {
  readonly at: number
  readonly position: string | null
  files: number
}

/** Rows without those that load modules, except the rows in `apart`. */
export function foldLoading(rows: readonly ScheduleStep[], apart: ReadonlySet<number>): ScheduleStep[] {
  const shown: ScheduleStep[] = []
  const boots: Boot[] = []
  const booting = new Map<string, Boot>()
  for (const row of rows) {
    const { process, what, step } = row
    const boot = process === null ? undefined : booting.get(process)
    if (process !== null && what === 'boot') {
      const begun = { at: shown.length, position: row.position, files: 0 }
      booting.set(process, begun)
      boots.push(begun)
    } else if (boot !== undefined && isLoading(row, boot) && !apart.has(step)) {
      if (what.startsWith('open ')) boot.files++
      continue
    } else if (boot !== undefined) booting.delete(process!)
    shown.push(row)
  }
  for (const { at, files } of boots)
    if (files > 0) shown[at] = { ...shown[at], what: `boot, load ${files} ${files === 1 ? 'file' : 'files'}` }
  return shown
}

/** No code of the process itself has asked for it: what a process does before its program runs has its parent's place. */
function isLoading({ what, position }: ScheduleStep, boot: Boot): boolean {
  return position === boot.position && FILE_STEP.test(what)
}
