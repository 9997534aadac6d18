/** `wavetank plan run --author`: writes the skeleton tests that a plan declares, and stages them. It never commits. */
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, relative, resolve } from 'node:path'
import type { PlanDocument } from '../../plan/markdown/read-plan.ts'
import { hashOf } from '../../plan/run/session.ts'
import { skeletonsOf, type SkeletonFile } from '../../plan/scaffold/skeletons.ts'
import type { PlanOptions } from './command.ts'

export async function author(document: PlanDocument, file: string, options: PlanOptions): Promise<number> {
  const plan = document.plan!
  const ids = options.scenario ?? plan.scenarios.map(({ id }) => id)
  const skeletons = skeletonsOf(plan, ids, relative(process.cwd(), resolve(file)), hashOf(document.text))
  if (skeletons.length === 0) {
    process.stdout.write('no scenario declares a skeleton (Target test file, Skeleton)\n')
    return 2
  }
  const written: string[] = []
  let skipped = 0
  for (const skeleton of skeletons) {
    const path = place(skeleton, options.existing ?? 'skip')
    if (path === null) skipped++
    else if (path !== '') written.push(path)
  }
  if (written.length > 0) stage(written)
  return skipped > 0 ? 2 : 0
}

/** The path that was written; empty if nothing had to change, null if a file was in the way. */
function place(
  { scenario, file, text }: SkeletonFile,
  existing: 'skip' | 'sibling' | 'overwrite',
): string | null {
  const say = (what: string): void => void process.stdout.write(`${scenario}  ${what}\n`)
  if (!existsSync(file)) return write(file, text, () => say(`${file} written`))
  if (readFileSync(file, 'utf8') === text) return (say(`${file} is as declared`), '')
  if (existing === 'sibling')
    return write(`${file}.new`, text, () => say(`${file} exists; written to ${file}.new`))
  if (existing === 'overwrite')
    return write(file, text, () => say(`${file} overwritten, as --existing overwrite says`))
  say(
    `${file} exists and differs; skipped (--existing sibling writes beside it, --existing overwrite replaces it)`,
  )
  return null
}

function write(file: string, text: string, say: () => void): string {
  mkdirSync(dirname(resolve(file)), { recursive: true })
  writeFileSync(file, text)
  say()
  return file
}

function stage(files: readonly string[]): void {
  try {
    execFileSync('git', ['add', '--', ...files], { stdio: 'pipe' })
    process.stdout.write(`staged, not committed: ${files.join(', ')}\n`)
  } catch {
    process.stdout.write('not staged: this is no git repository, or git is missing\n')
  }
}
