/** What has changed in a project since a revision of git: in commits, in the working tree, and files that are new. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { UsageError } from '../kernel/errors.ts'
import type { ChangedFile } from '../plan/scaffold/change.ts'
import { git } from './git.ts'

/** `command` is named if git does not know the revision. */
export function changedFiles(revision: string, root: string, command: string): ChangedFile[] {
  const names = git(root, 'diff', '--name-only', '--relative', revision, '--')
  if (names === null) {
    const what =
      git(root, 'rev-parse', '--git-dir') === null
        ? `${root} is in no git repository; expected a project whose changes git knows`
        : `git knows no revision "${revision}" here; expected a commit, a branch or a tag`
    throw new UsageError('ERR_WAVETANK_NO_REVISION', `${command}: ${what}`)
  }
  const untracked = git(root, 'ls-files', '--others', '--exclude-standard') ?? ''
  return [...new Set(`${names}\n${untracked}`.split('\n').filter((name) => name !== ''))].map((file) => ({
    file,
    before: git(root, 'show', `${revision}:./${file}`),
    after: existsSync(join(root, file)) ? readFileSync(join(root, file), 'utf8') : null,
  }))
}
