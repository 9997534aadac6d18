// The shard coordinator on real processes: nine workloads under every standard fault on 3 and 5 nodes, then mutants, most of
// which must be found.
//
//   npm run real:all                                                    all, 60 s each: two hours
//   npm run real:all -- --time-limit 10 --nodes 3                       all, quicker
//   npm run real:all -- --workloads crash-recovery --nemeses combined   a part
//   npm run real:all -- --mutants --time-limit 8                        only the mutants
//   npm run real:all -- --no-mutants                                    only the workloads
//   npm run real:all -- --side-by-side 3                                three runs at a time
//
// Runs mostly wait, and each has addresses and folders of its own, so several can go on side by side.
// A run that ends unknown is repeated with the next seed, up to MOST_TRIES runs, and each has its row: on a busy machine a fault
// may find no moment. Exit code 1 if something is violated or fewer than LEAST_FOUND mutants are found, 2 if the last run of a row
// is unknown, 255 if a run did not come to its end. A real run has one order of events, so a mutant that needs a rare one may
// survive here; the tank finds all of them.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { parseArgs } from 'node:util'

process.chdir(new URL('..', import.meta.url).pathname)

/** Each with the fault that it is about, where it is about one. */
const WORKLOADS = {
  'shard-acquisition': null,
  'lease-exclusivity': null,
  'checkpoint-fence': null,
  'split-correctness': null,
  'concurrent-acquisition': null,
  'crash-recovery': 'kill:minority',
  'full-partition': 'partition:majority',
  'asymmetric-partition': 'partition:one-way',
  'process-pause': 'pause:minority',
}
const STANDARD = [
  'none',
  'partition-random-halves',
  'partition-random-node',
  'kill-random-node',
  'pause-random-node',
  'combined',
]
/** Workers scan a data set once: turns of a client do not come by a rate. */
const SCANS = ['full-partition', 'asymmetric-partition', 'process-pause']
const RECORDS_PER_S = 150

const { values } = parseArgs({
  allowNegative: true,
  options: {
    'time-limit': { type: 'string', default: '60' },
    workloads: { type: 'string', default: Object.keys(WORKLOADS).join() },
    nemeses: { type: 'string' },
    nodes: { type: 'string', default: '3,5' },
    mutants: { type: 'boolean' },
    seed: { type: 'string', default: '1' },
    'side-by-side': { type: 'string', default: '1' },
  },
})

const LEAST_FOUND = 8
const MOST_TRIES = 3

/** Mutants whose guard is used without any fault, each with the rule that is named for it. Which survive differs by round. */
const MUTANTS = [
  ['owner-not-checked', 'only the holder of a lease works on its shard'],
  ['fence-not-raised', 'the fence of a shard rises with every new holder'],
  ['claim-takes-held', 'a shard has at most one lease at a time'],
  ['terminal-left', 'a terminal shard stays as it is'],
  ['unpark-keeps-fence', 'a shard that is unparked has a new fence'],
  ['park-keeps-lease', 'a record is whole'],
  ['run-reopened', 'a run that is over stays as it is'],
  ['lease-before-id', 'a repeated operation gets its first answer'],
  ['conflict-not-noticed', 'an operation id stands for one operation'],
  ['cursor-leaves-shard', 'a cursor stays inside its shard'],
  ['split-skips-a-key', 'the children of a split cover their parent exactly'],
  ['ledger-takes-twice', 'a finding is recorded once'],
  ['stale-fence-accepted', 'an old fence is refused'],
  ['no-cooldown', 'a worker waits between two claims'],
  ['hint-forgets-expiry', 'the hint says how many shards are free'],
  ['cursor-goes-back', 'a cursor never goes back'],
  ['split-gaps-accepted', 'the children of a split cover their parent exactly'],
]

/** Exit codes, the best first. */
const SEVERITY = [0, 2, 1, 255]
let worst = 0

/** The result is null if the run did not come to its end. */
async function run(file, seed, ...more) {
  const args = ['dist/cli/main.js', 'real', 'test', `examples/shard-coordinator/${file}`, ...more, '--json']
  const given = [...args, '--time-limit', values['time-limit'], '--seed', String(seed)]
  const records = String(Math.max(500, RECORDS_PER_S * Number(values['time-limit'])))
  const child = spawn(process.execPath, given, {
    env: { ...process.env, SHARD_RECORDS: records },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const [stdout, stderr, [status]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close'),
  ])
  const result = status === 0 || status === 1 || status === 2 ? JSON.parse(stdout) : null
  return { status: result === null ? 255 : status, result, stderr }
}

/** Does jobs, as many at a time as were asked for; gives their results in the order of the jobs, each when it is there. */
async function* sideBySide(jobs, work) {
  const running = []
  const next = () => {
    const job = jobs[running.length]
    if (job !== undefined) running.push(work(job).finally(next))
  }
  for (let slot = 0; slot < Number(values['side-by-side']); slot++) next()
  for (let at = 0; at < jobs.length; at++) yield await running[at]
}

function row(...cells) {
  console.log(`| ${cells.map((cell) => String(cell).split('\n')[0].replaceAll('|', '\\|')).join(' | ')} |`)
}

/** The rows of its runs, and the exit code of the last. */
async function runWorkload({ workload, nodes, nemesis }) {
  const rate = SCANS.includes(workload) ? '0' : '50'
  const more = ['--workload', workload, '--nodes', nodes, '--nemesis', nemesis, '--rate', rate]
  const rows = []
  let status
  for (let tries = 0; tries < MOST_TRIES && (tries === 0 || status === 2); tries++) {
    const seed = Number(values.seed) + tries
    const outcome = await run('shard.real.ts', seed, ...more)
    status = outcome.status
    const { result, stderr } = outcome
    const what = [workload, nodes, nemesis, seed]
    if (result === null) rows.push([...what, 'ERROR', '', '', '', stderr.trim()])
    else rows.push([...what, result.verdict, ...figures(result)])
  }
  return { rows, status }
}

/** Operations by their ends, checks, faults that landed, and why the verdict is what it is. */
function figures({ failures, doubts, operations, invariants, faults }) {
  const counts = ['ok', 'fail', 'info'].map((type) => operations.reduce((sum, each) => sum + each[type], 0))
  const checks = invariants.reduce((sum, invariant) => sum + invariant.checks, 0)
  const landed = faults.filter((fault) => fault.landed).length
  const why = failures[0] === undefined ? (doubts[0] ?? '') : `${failures[0].title}: ${failures[0].message}`
  return [counts.join(' / '), checks, `${landed} of ${faults.length}`, why]
}

function raise(status) {
  if (SEVERITY.indexOf(status) > SEVERITY.indexOf(worst)) worst = status
}

if (values.mutants !== true) {
  row(...'workload,nodes,faults,seed,verdict,ok / fail / info,checks of invariants,landed,why'.split(','))
  row(...Array(9).fill('---'))
  const jobs = values.nodes.split(',').flatMap((nodes) =>
    values.workloads.split(',').flatMap((workload) => {
      const own = WORKLOADS[workload]
      const nemeses = values.nemeses?.split('+') ?? [...STANDARD, ...(own === null ? [] : [own])]
      return nemeses.map((nemesis) => ({ workload, nodes, nemesis }))
    }),
  )
  for await (const { rows, status } of sideBySide(jobs, runWorkload)) {
    for (const cells of rows) row(...cells)
    raise(status)
  }
}
if (values.mutants !== false) {
  let found = 0
  for await (const { name, rule, caught, broken } of sideBySide(MUTANTS, hunt)) {
    row(`mutant ${name}`, caught ? 'found' : 'SURVIVED', caught ? rule : broken.join('; '))
    if (caught) found++
  }
  console.log(`${found} of ${MUTANTS.length} mutants found`)
  if (found < LEAST_FOUND) raise(1)
}
process.exitCode = worst

/** Whether it is caught by the rule that is named for it; another rule is not enough. */
async function hunt([name, rule]) {
  const more = ['--workload', `shard-coordinator ${name}`, '--nodes', '3', '--rate', '200']
  const { result, stderr } = await run('shard-coordinator.mutants.ts', values.seed, ...more)
  if (result === null) throw new Error(`${name}: ${stderr}`)
  // A run in which the workload broke says nothing about the mutant.
  const mistake = result.failures.find(({ category }) => category === 'mistake')
  if (mistake !== undefined) throw new Error(`${name}: ${mistake.message}`)
  const broken = result.invariants
    .filter(({ status }) => status === 'violated')
    .map((invariant) => invariant.name)
  return { name, rule, caught: broken.includes(rule), broken }
}
