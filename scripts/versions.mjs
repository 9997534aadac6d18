// node scripts/versions.mjs [--smoke] [MAJOR …] [-- VITEST ARGUMENT …]: the vitest suite, or the files named behind `--`,
// on other majors of Node.js, then a table. Without majors, all but the one at hand. Exit code 1 when a test failed
// somewhere. Binaries that cannot be had are skipped loudly (see node-binaries.mjs).
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { delimiter, dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { MAJOR_AT_HAND, MAJORS, nodeBinary, versionOf } from './node-binaries.mjs'

const ROOT = resolve(import.meta.dirname, '..')

/** That a machine is slow or busy is no failure. */
const TIMEOUT_MS = 240_000

/** One more than there are processors: tests of real processes mostly wait. */
const WORKERS = `--maxWorkers=${availableParallelism() + 1}`

/** What a smoke runs: the kernel, HTTP in the tank, a race, and a program made of npm packages. */
const SMOKE = [
  [
    'src/kernel',
    'src/node/bindings/network/protocols.test.ts',
    'src/node/bindings',
    'test/explore/race-in-the-tank.test.ts',
  ],
  ['test/packages', '-t', 'express.mjs'],
]

/** Runs the suite, or the smoke, on a major, with further arguments for vitest; returns a row of the table. */
export function runSuite({ major, smoke = false, full = false, args = [] }) {
  const binary = nodeBinary(major)
  if (binary === null) return { version: `v${major}`, what: 'not to be had', ok: true }
  const row = {
    version: versionOf(binary),
    what: smoke ? 'smoke' : full ? 'suite, full counts' : 'suite',
    ok: true,
  }
  const figures = { files: 0, tests: 0, passed: 0, failed: 0, skipped: 0, seconds: 0 }
  for (const selection of smoke ? SMOKE : [[]]) {
    console.log(`\n▸ ${row.what} on Node ${row.version}${smoke ? `: ${selection.join(' ')}` : ''}`)
    const { status, report, seconds } = vitest(binary, [...selection, ...args], full)
    row.ok &&= status === 0
    figures.files += report.testResults.length
    figures.tests += report.numTotalTests
    figures.passed += report.numPassedTests
    figures.failed += report.numFailedTests
    figures.skipped += report.numPendingTests + report.numTodoTests
    figures.seconds += seconds
  }
  return { ...row, ...figures }
}

const NOTHING = {
  testResults: [],
  numTotalTests: 0,
  numPassedTests: 0,
  numFailedTests: 0,
  numPendingTests: 0,
  numTodoTests: 0,
}

function vitest(binary, selection, full) {
  const output = join(ROOT, 'node_modules/.cache/wavetank', `suite-${process.pid}.json`)
  mkdirSync(dirname(output), { recursive: true })
  const { WAVETANK_FULL: _, ...env } = process.env
  const started = performance.now()
  const { status } = spawnSync(
    binary,
    ['node_modules/vitest/vitest.mjs', 'run']
      .concat(['--reporter=default', '--reporter=json', `--outputFile.json=${output}`])
      .concat(selection.some((arg) => arg.startsWith('--maxWorkers')) ? [] : [WORKERS])
      .concat([`--testTimeout=${TIMEOUT_MS}`, `--hookTimeout=${TIMEOUT_MS}`, ...selection]),
    {
      cwd: ROOT,
      stdio: 'inherit',
      // A test that starts `node` gets the one under test.
      env: {
        ...env,
        ...(full ? { WAVETANK_FULL: '1' } : {}),
        PATH: `${dirname(binary)}${delimiter}${env.PATH}`,
      },
    },
  )
  const report = existsSync(output) ? JSON.parse(readFileSync(output, 'utf8')) : NOTHING
  rmSync(output, { force: true })
  return { status, report, seconds: (performance.now() - started) / 1000 }
}

const COLUMNS = ['files', 'tests', 'passed', 'failed', 'skipped', 'seconds']

/** The rows as text, a line each. */
export function table(rows) {
  const cells = [
    ['version', 'what', ...COLUMNS],
    ...rows.map((row) => [row.version, row.what, ...COLUMNS.map((name) => cell(row[name]))]),
  ]
  const widths = cells[0].map((_, column) => Math.max(...cells.map((line) => line[column].length)))
  return cells
    .map((line) =>
      line.map((text, i) => (i < 2 ? text.padEnd(widths[i]) : text.padStart(widths[i]))).join('  '),
    )
    .join('\n')
}

function cell(figure) {
  return figure === undefined ? '–' : String(Math.round(figure))
}

function parted(list, separator) {
  const at = list.indexOf(separator)
  return at < 0 ? [list, []] : [list.slice(0, at), list.slice(at + 1)]
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [own, args] = parted(process.argv.slice(2), '--')
  const named = own.filter((arg) => /^\d+$/.test(arg)).map(Number)
  const majors = named.length > 0 ? named : MAJORS.filter((major) => major !== MAJOR_AT_HAND)
  const rows = majors.map((major) => runSuite({ major, smoke: own.includes('--smoke'), args }))
  console.log(`\n${table(rows)}`)
  process.exit(rows.every(({ ok }) => ok) ? 0 : 1)
}
