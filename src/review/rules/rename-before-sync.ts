/** The usual way to replace a file in one step, without the sync that makes it one. */
import { Imported } from '../imports.ts'
import type { Rule } from '../rule.ts'
import { fileActions, scopesOf } from './durability.ts'

export const renameBeforeSync: Rule = {
  name: 'rename-before-sync',
  severity: 'warn',
  text: 'A file is written and renamed without a sync between.',
  why: 'The new name may reach the disk before the bytes: after a power loss the file is empty or cut off, and the old one is gone.',
  fix: 'Sync the new file before the rename (`{ flush: true }`), and the folder after it.',
  *find(file) {
    const fs = new Imported(file, 'fs', 'fs/promises')
    if (fs.none) return
    for (const scope of scopesOf(file)) {
      const actions = fileActions(file, scope, fs)
      for (const [index, { kind, call, target }] of actions.entries()) {
        if (kind !== 'rename') continue
        const before = actions
          .slice(0, index)
          .filter((each) => each.kind === 'sync' || each.target === target)
        if (before.at(-1)?.kind === 'write')
          yield { node: call.node, found: `${target} is renamed before it is synced` }
      }
    }
  },
}
