/** Advice on a level, for people: the level, what decided it, file by file, and the command that runs it. */
import type { LevelAdvice } from '../../plan/scaffold/level-advice.ts'
import { table } from '../form/table.ts'

export function adviceText({ level, why, files }: LevelAdvice): string {
  if (level === null) return `no simulation is needed: ${why}\n`
  const rows = files.map((each) => [each.file, each.level, each.why])
  return [
    `${level}, because of ${why}`,
    '',
    ...table(['file', 'level', 'why'], rows),
    '',
    `npx wavetank run --level ${level}`,
    '',
  ].join('\n')
}
