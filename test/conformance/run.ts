/**
 * npm run conformance -- --node-source DIR [--only PATTERN] [--subsystem NAME] [--every N] [--jobs N] [--json FILE] [--failures] [--record] [--real-only]
 *
 * Runs Node's own test files as processes in the tank and says how many pass. DIR is a Node.js source tree at the tag of
 * the running Node, obtained by the user; nothing from it is part of this repository. Every file runs twice, on real
 * Node and in the tank, each time in a fresh OS process with the flags that the file asks for; only files that pass on
 * real Node count. `--record` writes the failures of a full run to failures.json beside this file, to which
 * docs/fidelity.md refers. Exit code 0 when every bar holds, 1 when not, 254 for bad arguments.
 */
import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { dirname, join, relative, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { build } from 'esbuild'
import { exclusionOf } from './exclusions.ts'
import { RealResults, type Run } from './real-results.ts'
import { OVERALL_BAR, subsystemOf } from './subsystems.ts'
import { failures, table, totals, type FileResult } from './table.ts'

const ROOT = resolve(import.meta.dirname, '../..')
const FOLDERS = ['parallel', 'sequential', 'es-module', 'async-hooks']
const REAL_TIMEOUT_MS = 60_000
const TANK_TIMEOUT_MS = 60_000

const { values: options } = parseArgs({
  options: {
    'node-source': { type: 'string' },
    only: { type: 'string' },
    subsystem: { type: 'string', multiple: true },
    every: { type: 'string', default: '1' },
    jobs: { type: 'string' },
    json: { type: 'string' },
    failures: { type: 'boolean', default: false },
    record: { type: 'boolean', default: false },
    'real-only': { type: 'boolean', default: false },
  },
})

const source = options['node-source']
if (source === undefined || !existsSync(join(source, 'test/common/index.js'))) {
  console.error(
    `conformance: --node-source must name a Node.js source tree at tag ${process.version} with test/common in it; got ${source ?? 'nothing'}.\n` +
      `Get one outside this repository, for example: git clone --depth 1 --branch ${process.version} <nodejs/node>`,
  )
  process.exit(254)
}
const isPartial = options.only !== undefined || options.subsystem !== undefined || options.every !== '1'
if (options.record && (isPartial || options['real-only'])) {
  console.error(
    'conformance: --record needs a full run; leave out --only, --subsystem, --every and --real-only',
  )
  process.exit(254)
}
const tree = resolve(source)
const realCache = new RealResults(
  join(ROOT, `node_modules/.cache/wavetank/conformance-real-${process.version}.json`),
)
const arm = options['real-only'] ? '' : await bundleTankArm()
// A sample takes every N-th file of those that are asked for.
const files = FOLDERS.flatMap((folder) => list(join(tree, 'test', folder)))
  .filter((file) => options.only === undefined || new RegExp(options.only).test(file))
  .filter((_, i) => i % Number(options.every) === 0)
const jobs = Number(options.jobs ?? availableParallelism())
const results: FileResult[] = []
await pool(files, jobs, async (file) => {
  const result = await examine(file)
  if (result !== null) results.push(result)
  progress()
})
realCache.save()
results.sort((a, b) => (a.file < b.file ? -1 : 1))
if (options.failures) {
  for (const { file, status, reason } of results)
    if (status === 'fail') console.log(`FAIL ${file}: ${reason}`)
}
console.log(table(results))
if (options.json !== undefined) {
  writeFileSync(
    options.json,
    JSON.stringify({ node: process.version, subsystems: totals(results), files: results }, null, 1),
  )
}
if (options.record) {
  const recorded = { node: process.version, failures: failures(results) }
  writeFileSync(join(import.meta.dirname, 'failures.json'), `${JSON.stringify(recorded, null, 2)}\n`)
}
rmSync(arm, { force: true })
const below = totals(results).filter(({ percent, barPercent }) => percent < barPercent)
const applicable = results.filter(({ status }) => status === 'pass' || status === 'fail')
const share =
  (applicable.filter(({ status }) => status === 'pass').length / Math.max(1, applicable.length)) * 100
process.exit(below.length === 0 && share >= OVERALL_BAR ? 0 : 1)

async function examine(file: string): Promise<FileResult | null> {
  const name = relative(join(tree, 'test'), file)
  const subsystem = subsystemOf(`/${name}`)?.name
  if (subsystem === undefined) return null
  if (options.subsystem !== undefined && !options.subsystem.includes(subsystem)) return null
  const text = readFileSync(file, 'utf8')
  const exclusion = exclusionOf(`/${name}`, text)
  if (exclusion !== null) return { file: name, subsystem, status: 'excluded', reason: exclusion }
  const flags = /^\/\/ Flags:(.*)$/m.exec(text)?.[1].trim().split(/\s+/) ?? []
  const real = realCache.get(name) ?? (await runReal(file, flags))
  realCache.set(name, real)
  if (real.code !== 0)
    return { file: name, subsystem, status: 'inapplicable', reason: 'fails on real Node here' }
  if (/^1\.\.0 # Skipped/m.test(real.output))
    return { file: name, subsystem, status: 'inapplicable', reason: 'skips itself' }
  if (options['real-only']) return null
  const tank = await runTank(file, flags)
  if (tank.code === 0) return { file: name, subsystem, status: 'pass', reason: null }
  return { file: name, subsystem, status: 'fail', reason: firstTrouble(tank) }
}

function runReal(file: string, flags: readonly string[]): Promise<Run> {
  return run([...flags, file], REAL_TIMEOUT_MS)
}

function runTank(file: string, flags: readonly string[]): Promise<Run> {
  return run([...flags, arm, file], TANK_TIMEOUT_MS)
}

function run(args: readonly string[], timeoutMs: number): Promise<Run> {
  return new Promise((settle) => {
    const scratch = mkdtempSync(join(tmpdir(), 'wavetank-conformance-'))
    const child = spawn(process.execPath, args, {
      cwd: tree,
      detached: true,
      env: {
        ...process.env,
        NODE_TEST_DIR: scratch,
        NODE_NO_WARNINGS: undefined,
        TEST_THREAD_ID: scratch.slice(-6),
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let output = ''
    const take = (chunk: Buffer) => {
      if (output.length < 100_000) output += chunk.toString()
    }
    child.stdout.on('data', take)
    child.stderr.on('data', take)
    const timer = setTimeout(() => end('timed out'), timeoutMs)
    const end = (why: string) => {
      output += `\n${why} after ${timeoutMs} ms`
      try {
        process.kill(-child.pid!, 'SIGKILL')
      } catch {
        // gone already
      }
    }
    child.on('close', (code, signal) => {
      clearTimeout(timer)
      rmSync(scratch, { recursive: true, force: true })
      settle({ code, signal, output })
    })
  })
}

/** The line of a failed run's output that says most. */
function firstTrouble({ code, signal, output }: Run): string {
  const lines = output.split('\n').map((line) => line.trim())
  const telling =
    lines.find(
      (line) =>
        /^(Uncaught )?\w*(Error|Signal|Exception)\b.*:/.test(line) || /not simulated|unsupported/i.test(line),
    ) ??
    lines.findLast((line) => line !== '') ??
    ''
  return `${signal ?? `exit ${code}`}: ${telling.slice(0, 200)}`
}

/** The tank's side is bundled once, so that a file costs no TypeScript transform. */
async function bundleTankArm(): Promise<string> {
  const outfile = join(ROOT, `node_modules/.cache/wavetank/conformance-tank-${process.pid}.mjs`)
  mkdirSync(dirname(outfile), { recursive: true })
  await build({
    entryPoints: [join(ROOT, 'test/conformance/tank.ts')],
    outfile,
    bundle: true,
    packages: 'external',
    platform: 'node',
    format: 'esm',
    target: 'node20',
    logLevel: 'error',
  })
  return outfile
}

function list(folder: string): string[] {
  if (!existsSync(folder)) return []
  return readdirSync(folder)
    .filter((name) => /^test-.*\.(js|mjs|cjs)$/.test(name))
    .sort()
    .map((name) => join(folder, name))
}

async function pool<T>(items: readonly T[], width: number, work: (item: T) => Promise<void>): Promise<void> {
  let next = 0
  const worker = async () => {
    while (next < items.length) await work(items[next++])
  }
  await Promise.all(Array.from({ length: width }, worker))
}

function progress(): void {
  if (!process.stderr.isTTY) return
  const failed = results.filter(({ status }) => status === 'fail').length
  process.stderr.write(`\r${results.length} files, ${failed} fail `)
}
