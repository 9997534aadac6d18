/** `wavetank plan new`: gathers what can be gathered mechanically, and writes a plan to fill in. */
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { basename, dirname, join, relative, resolve } from 'node:path'
import { changedFiles } from '../../host/changed-files.ts'
import { git } from '../../host/git.ts'
import { UsageError } from '../../kernel/errors.ts'
import { claimsIn, isTestFile, titlesIn, type GatheredClaim } from '../../plan/scaffold/claims.ts'
import { reasonForNoPlan, type ChangedFile } from '../../plan/scaffold/change.ts'
import { importersOf } from '../../plan/scaffold/importers.ts'
import { scaffoldText, type Gathered } from '../../plan/scaffold/scaffold-text.ts'
import { counted } from '../../report/form/quantity.ts'
import { manifestIn } from '../../scaffold/start-command.ts'
import { PROJECT } from '../scaffold/project-files.ts'
import { declarations, openProject, withPool } from '../run/selection.ts'
import type { PlanOptions } from './command.ts'

/** More claims than these make a table too long to read. */
const MOST_CLAIMS = 40
const MOST_FILE_BYTES = 500_000
const SKIPPED = new Set([
  'node_modules',
  '.git',
  'dist',
  'build',
  'coverage',
  '.wavetank',
  'fixtures',
  'vendor',
])

export async function newPlan(_: string, { change, project, output }: PlanOptions): Promise<number> {
  if ((change === undefined) === (project !== true))
    throw new UsageError('ERR_WAVETANK_ARGUMENTS', 'plan new: give either --change REV or --project')
  const root = process.cwd()
  const sources = readSources(root)
  const changed = change === undefined ? null : changedFiles(change, root, 'plan new')
  if (changed !== null) {
    const reason = reasonForNoPlan(changed)
    if (reason !== null) {
      process.stdout.write(`no plan is needed: ${reason}\n`)
      return 0
    }
  }
  const gathered = { ...gather(root, sources, change, changed), simulations: await simulationsOf(root) }
  const file =
    output ??
    join(
      'plans',
      `${change === undefined ? gathered.system : `change-${change.replace(/[^\w-]+/g, '-')}`}.md`,
    )
  if (existsSync(file))
    throw new UsageError('ERR_WAVETANK_PLAN_EXISTS', `plan new: ${file} exists; name another with --output`)
  mkdirSync(dirname(resolve(file)), { recursive: true })
  writeFileSync(file, scaffoldText(gathered))
  const { claims, claimsLeftOut, tests } = gathered
  process.stdout.write(
    `${file} written: ${counted(claims.length, 'claim')}${claimsLeftOut > 0 ? ` of ${claims.length + claimsLeftOut}` : ''}, ${counted(tests.length, 'test file')}\nnext: fill in every TODO, then npx wavetank plan lint ${file}\n`,
  )
  return 0
}

function gather(
  root: string,
  sources: ReadonlyMap<string, string>,
  revision: string | undefined,
  changed: readonly ChangedFile[] | null,
): Omit<Gathered, 'simulations'> {
  const files = changed?.map(({ file }) => file).filter((file) => sources.has(file)) ?? null
  const importers = files === null ? [] : importersOf(files, sources)
  const scope =
    files === null
      ? [...sources.keys()]
      : [...files, ...importers, ...[...sources.keys()].filter((file) => /^readme\.md$/i.test(file))]
  const found = [...new Set(scope)].flatMap((file) => claimsIn(file, sources.get(file)!)).sort(byWeight)
  // What is said twice is one claim, at the place that users read first.
  const all = [...new Map(found.toReversed().map((claim) => [claim.text, claim])).values()].toReversed()
  const claims = all.slice(0, MOST_CLAIMS)
  const tests = [...sources].filter(([file]) => isTestFile(file))
  const { name, engines } = manifestIn(PROJECT)
  return {
    system: name?.replace(/^@[^/]+\//, '') || basename(root),
    date: new Date().toISOString().slice(0, 10),
    author: git(root, 'config', 'user.name') ?? 'unknown',
    change:
      files === null ? null : { revision: revision!, files: changed!.map(({ file }) => file), importers },
    claims,
    claimsLeftOut: all.length - claims.length,
    tests: tests
      .map(([file, text]) => ({ file, titles: titlesIn(text).length }))
      .filter(({ titles }) => titles > 0),
    environment: [
      {
        requirement: 'Node.js',
        floor: engines?.node ?? '–',
        probe: 'node --version',
        hint: 'https://nodejs.org',
      },
    ],
  }
}

/** What can be run; a project that cannot be loaded gets a plan without it, and `wavetank list` says why. */
async function simulationsOf(root: string): Promise<Gathered['simulations']> {
  try {
    const project = await openProject(root)
    if (project.files.length === 0) return []
    const found = await withPool(project.root, { jobs: 1 }, (pool) => declarations(project, pool))
    for (const { file } of found.broken)
      process.stderr.write(`wavetank plan new: ${file} cannot be loaded; \`wavetank list\` says why\n`)
    return found.simulations
  } catch (error) {
    if (!(error instanceof UsageError)) throw error
    process.stderr.write(`wavetank plan new: no simulation is filled in: ${error.message}\n`)
    return []
  }
}

/** What is said before what is inferred, what users read before what developers read; then by place. */
function byWeight(a: GatheredClaim, b: GatheredClaim): number {
  const byPlace = a.file < b.file ? -1 : a.file > b.file ? 1 : a.line - b.line
  return Number(a.inferred) - Number(b.inferred) || distance(a.file) - distance(b.file) || byPlace
}

/** How far from users a file is. */
function distance(file: string): number {
  const order = [/^readme\.md$/i, /^docs?\//, /^(src|lib|packages)\//]
  const found = order.findIndex((pattern) => pattern.test(file))
  return found < 0 ? order.length : found
}

function readSources(root: string): Map<string, string> {
  const sources = new Map<string, string>()
  const visit = (folder: string): void => {
    for (const entry of readdirSync(folder, { withFileTypes: true }).sort((a, b) =>
      a.name < b.name ? -1 : 1,
    )) {
      if (SKIPPED.has(entry.name) || entry.name.startsWith('.')) continue
      const path = join(folder, entry.name)
      if (entry.isDirectory()) visit(path)
      else if (/\.([cm]?[jt]sx?|md)$/.test(entry.name) && statSync(path).size < MOST_FILE_BYTES)
        sources.set(relative(root, path), readFileSync(path, 'utf8'))
    }
  }
  visit(root)
  return sources
}
