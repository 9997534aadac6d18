/** `wavetank run --advise`: which level a change asks for, and why. It runs nothing. */
import { changedFiles } from '../../host/changed-files.ts'
import { loadConfig } from '../../host/project.ts'
import { adviseLevel } from '../../plan/scaffold/level-advice.ts'
import { adviceText } from '../../report/campaign/advice-text.ts'
import { write } from '../terminal.ts'

/** `revision` is true if none was named. */
export async function advise(
  revision: string | true,
  { json, output }: { readonly json?: boolean; readonly output?: string },
): Promise<number> {
  const { config, folder } = await loadConfig(process.cwd())
  const changed = changedFiles(revision === true ? 'HEAD' : revision, folder, 'run --advise')
  const advice = adviseLevel(changed, config.advise)
  write(json === true ? `${JSON.stringify(advice, null, 2)}\n` : adviceText(advice), output)
  return 0
}
