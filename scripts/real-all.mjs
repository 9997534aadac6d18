// The shard coordinator on real processes: every standard nemesis on 3 and 5 nodes, then mutants, most of which must be found.
//
//   npm run real:all                                   60 s each
//   npm run real:all -- --time-limit 10 --nodes 3      quicker
//   npm run real:all -- --mutants                      only the mutants
//
// Exit code 1 if something is violated or fewer than LEAST_FOUND mutants are found, 2 if a run is unknown. A real run has one
// order of events, so a mutant that needs a rare one may survive here; the tank finds all of them.
import { spawnSync } from 'node:child_process'
import { parseArgs } from 'node:util'

process.chdir(new URL('..', import.meta.url).pathname)
const { values } = parseArgs({
  options: {
    'time-limit': { type: 'string', default: '60' },
    nodes: { type: 'string', default: '3,5' },
    mutants: { type: 'boolean', default: false },
    seed: { type: 'string', default: '1' },
  },
})

/** What each run is about, in the words of the workloads that people know from Jepsen tests. */
const NEMESES = [
  ['none', 'acquisition, lease exclusivity, checkpoint fence, splits, concurrent acquisition'],
  ['kill', 'crash recovery'],
  ['pause', 'process pause'],
  ['partition:halves', 'full partition'],
  ['partition:one', 'a node alone'],
  ['partition:one-way', 'asymmetric partition'],
  ['combined', 'kill, pause and partition at once'],
]
const SIMULATIONS = ['shard-coordinator.sim.ts', 'shard-scan.sim.ts']

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
  const { status, stdout, stderr } = spawnSync(process.execPath, given, {
    encoding: 'utf8',
    maxBuffer: 1 << 28,
  })
  if (status === 0 || status === 1 || status === 2) return { status, result: JSON.parse(stdout) }
  throw new Error(stderr)
}

if (!values.mutants) {
  for (const nodes of values.nodes.split(',')) {
    for (const file of SIMULATIONS) {
      for (const [nemesis, about] of NEMESES) {
        const { status, result } = run(file, '--nodes', nodes, '--nemesis', nemesis)
        const why = result.failures[0]?.message ?? result.doubts[0] ?? ''
        const ok = result.operations.reduce((sum, counts) => sum + counts.ok, 0)
        const landed = `${result.faults.filter((fault) => fault.landed).length} of ${result.faults.length} faults landed`
        console.log(
          `| ${result.name} | ${nodes} | ${nemesis} | ${about} | ${result.verdict} | ${ok} ok, ${landed} | ${why} |`,
        )
        worst = Math.max(worst, status === 1 ? 3 : status)
      }
    }
  }
}
let survived = 0
for (const [name, rule] of MUTANTS) {
  const more = ['--workload', `shard-coordinator ${name}`, '--nodes', '3', '--rate', '200']
  const { result } = run('shard-coordinator.mutants.ts', ...more)
  const broken = result.invariants
    .filter(({ status }) => status === 'violated')
    .map((invariant) => invariant.name)
  const caught = broken.includes(rule)
  if (!caught) survived++
  console.log(`| mutant ${name} | ${caught ? 'found' : 'SURVIVED'} | ${caught ? rule : broken.join('; ')} |`)
}
console.log(`${MUTANTS.length - survived} of ${MUTANTS.length} mutants found`)
process.exitCode = worst === 3 || MUTANTS.length - survived < LEAST_FOUND ? 1 : worst
