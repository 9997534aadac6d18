// The shard coordinator on real processes: nine workloads under every standard fault on 3 and 5 nodes, then mutants, most of
// which must be found.
//
//   npm run real:all                                                    all, 60 s each: two hours
//   npm run real:all -- --time-limit 10 --nodes 3                       all, quicker
//   npm run real:all -- --workloads crash-recovery --nemeses combined   a part
//   npm run real:all -- --mutants                                       only the mutants
//
// Exit code 1 if something is violated or fewer than LEAST_FOUND mutants are found, 2 if a run is unknown. A real run has one
// order of events, so a mutant that needs a rare one may survive here; the tank finds all of them.
import { spawnSync } from 'node:child_process'
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
  options: {
    'time-limit': { type: 'string', default: '60' },
    workloads: { type: 'string', default: Object.keys(WORKLOADS).join() },
    nemeses: { type: 'string' },
    nodes: { type: 'string', default: '3,5' },
    mutants: { type: 'boolean', default: false },
    seed: { type: 'string', default: '1' },
  },
})

const LEAST_FOUND = 8

/** Mutants whose guard is used without any fault, each with the rule that is named for it. The last five survived so far. */
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

let worst = 0

function run(file, ...more) {
  const args = ['dist/cli/main.js', 'real', 'test', `examples/shard-coordinator/${file}`, ...more, '--json']
  const given = [...args, '--time-limit', values['time-limit'], '--seed', values.seed]
  const records = String(Math.max(500, RECORDS_PER_S * Number(values['time-limit'])))
  const { status, stdout, stderr } = spawnSync(process.execPath, given, {
    encoding: 'utf8',
    env: { ...process.env, SHARD_RECORDS: records },
    maxBuffer: 1 << 28,
  })
  if (status === 0 || status === 1 || status === 2) return { status, result: JSON.parse(stdout) }
  throw new Error(stderr)
}

function runWorkload(workload, nodes, nemesis) {
  const rate = SCANS.includes(workload) ? '0' : '50'
  const more = ['--workload', workload, '--nodes', nodes, '--nemesis', nemesis, '--rate', rate]
  const { status, result } = run('shard.real.ts', ...more)
  const why = result.failures[0]?.message ?? result.doubts[0] ?? ''
  const [ok, fail, info] = ['ok', 'fail', 'info'].map((type) =>
    result.operations.reduce((sum, counts) => sum + counts[type], 0),
  )
  const checks = result.invariants.reduce((sum, invariant) => sum + invariant.checks, 0)
  const landed = `${result.faults.filter((fault) => fault.landed).length} of ${result.faults.length}`
  console.log(
    `| ${workload} | ${nodes} | ${nemesis} | ${result.verdict} | ${ok} / ${fail} / ${info} | ${checks} | ${landed} | ${why} |`,
  )
  worst = Math.max(worst, status === 1 ? 3 : status)
}

if (!values.mutants) {
  console.log(
    '| workload | nodes | faults | verdict | ok / fail / info | checks of invariants | landed | why |',
  )
  console.log('| --- | --- | --- | --- | --- | --- | --- | --- |')
  for (const nodes of values.nodes.split(','))
    for (const workload of values.workloads.split(',')) {
      const own = WORKLOADS[workload]
      const nemeses = values.nemeses?.split('+') ?? [...STANDARD, ...(own === null ? [] : [own])]
      for (const nemesis of nemeses) runWorkload(workload, nodes, nemesis)
    }
}
let survived = 0
for (const [name, rule] of MUTANTS) {
  const more = ['--workload', `shard-coordinator ${name}`, '--nodes', '3', '--rate', '200']
  const { result } = run('shard-coordinator.mutants.ts', ...more)
  // A run in which the workload broke says nothing about the mutant.
  const mistake = result.failures.find(({ category }) => category === 'mistake')
  if (mistake !== undefined) throw new Error(`${name}: ${mistake.message}`)
  const broken = result.invariants
    .filter(({ status }) => status === 'violated')
    .map((invariant) => invariant.name)
  const caught = broken.includes(rule)
  if (!caught) survived++
  console.log(`| mutant ${name} | ${caught ? 'found' : 'SURVIVED'} | ${caught ? rule : broken.join('; ')} |`)
}
console.log(`${MUTANTS.length - survived} of ${MUTANTS.length} mutants found`)
process.exitCode = worst === 3 || MUTANTS.length - survived < LEAST_FOUND ? 1 : worst
