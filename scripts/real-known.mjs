// Known outcomes on real software, each with a control: one command finds the anomaly, the control holds.
//
//   npm run real:known            all of them
//   npm run real:known -- redis   those whose name contains this
//
// Whether a pause meets a critical section is up to reality, so a search tries up to 3 seeds; a control must hold, and is
// tried again only if the run ended unknown, as when a busy machine left a fault no moment. A program that is not installed
// is a loud skip, and the exit code is 2, as it is for a control that stays unknown.
import { spawnSync } from 'node:child_process'

const SEEDS = [1, 2, 3]
const PARTITION = ['--nemesis', 'partition:primaries', '--nemesis-interval', '6', '--time-limit', '20']
// A leader of ZooKeeper stops before it can be stale: a follower is what must be cut off.
const CUT_ONE = ['--nemesis', 'partition:one', '--nemesis-interval', '6', '--time-limit', '20']
const PAUSE = ['--nemesis', 'pause', '--nemesis-interval', '6', '--time-limit', '25']
const KILL = ['--nemesis', 'kill', '--nemesis-interval', '4', '--time-limit', '15']
const MIXED = ['--nodes', 'n1,n2,n3', '--nemesis', 'kill,partition', '--time-limit', '15']
const BUSY = ['--rate', '0', '--time-limit', '10']
const etcd = ['examples/real/etcd/etcd.real.ts', '--nodes', 'n1,n2,n3']
const stale = ['examples/real/etcd/etcd-stale.real.ts', '--nodes', 'n1,n2,n3']
const redis = ['examples/real/redis/redis.real.ts']
const postgres = (name) => ['examples/real/postgres/postgres.real.ts', '--workload', name]
const bank = (name) => ['examples/real/postgres/bank.real.ts', '--workload', name]
const rabbitmq = (name) => ['examples/real/rabbitmq/rabbitmq.real.ts', '--workload', name]
const nats = (name) => ['examples/real/nats/nats.real.ts', '--workload', name]
const zookeeper = (name) => ['examples/real/zookeeper/zookeeper.real.ts', '--workload', name]
const locks = (name) => ['examples/real/locks/locks.real.ts', '--workload', name]

/** `finds` is a type of anomaly; null is a control, which must hold. */
const OUTCOMES = [
  {
    name: 'etcd: serializable reads in a partition',
    args: [...stale, ...PARTITION],
    finds: 'not-linearizable',
  },
  { name: 'etcd: linearizable reads in a partition', args: [...etcd, ...PARTITION], finds: null },
  { name: 'etcd: its lock, holder paused', args: [...locks('etcd-lock'), ...PAUSE], finds: 'duplicated' },
  {
    name: 'etcd: its lock with a fence, holder paused',
    args: [...locks('etcd-lock-fenced'), ...PAUSE],
    finds: null,
  },
  { name: 'Redlock: holder paused', args: [...locks('redlock'), ...PAUSE], finds: 'duplicated' },
  { name: 'Redlock: no fault', args: [...locks('redlock'), '--time-limit', '10'], finds: null },
  { name: 'Redis and Sentinel: primary cut off', args: [...redis, ...PARTITION], finds: 'lost' },
  { name: 'Redis and Sentinel: no fault', args: [...redis, '--time-limit', '10'], finds: null },
  {
    name: 'PostgreSQL: read committed',
    args: [...postgres('postgres-read-committed'), ...BUSY],
    finds: 'lost-update',
  },
  {
    name: 'PostgreSQL: repeatable read',
    args: [...postgres('postgres-repeatable-read'), ...BUSY],
    finds: 'G2-item',
  },
  { name: 'PostgreSQL: serializable', args: [...postgres('postgres-serializable'), ...BUSY], finds: null },
  {
    name: 'PostgreSQL bank: read committed',
    args: [...bank('bank-read-committed'), ...BUSY],
    finds: 'wrong-total',
  },
  {
    name: 'PostgreSQL bank: repeatable read',
    args: [...bank('bank-repeatable-read'), ...BUSY],
    finds: null,
  },
  { name: 'PostgreSQL bank: serializable', args: [...bank('bank-serializable'), ...BUSY], finds: null },
  { name: 'etcd: a set', args: ['examples/real/etcd/etcd-set.real.ts', ...MIXED], finds: null },
  {
    name: 'etcd: transactions that append',
    args: ['examples/real/etcd/etcd-append.real.ts', ...MIXED],
    finds: null,
  },
  {
    name: 'etcd: serializable reads, cut by the kernel',
    args: [...stale, ...PARTITION, '--backend', 'namespaces'],
    finds: 'not-linearizable',
  },
  {
    name: 'Redis register: no fault',
    args: ['examples/real/redis/redis-register.real.ts', '--time-limit', '10'],
    finds: null,
  },
  {
    name: 'RabbitMQ: transient messages, broker killed',
    args: [...rabbitmq('rabbitmq-transient'), ...KILL],
    finds: 'lost',
  },
  {
    name: 'RabbitMQ: durable messages, broker killed',
    args: [...rabbitmq('rabbitmq'), ...KILL],
    finds: null,
  },
  { name: 'NATS: a stream in memory, killed', args: [...nats('nats-memory'), ...KILL], finds: 'lost' },
  {
    name: 'NATS: a stream of three replicas, killed',
    args: [...nats('nats'), '--nodes', '3', ...KILL],
    finds: null,
  },
  {
    name: 'ZooKeeper: reads in a partition',
    args: [...zookeeper('zookeeper-stale'), '--nodes', '3', ...CUT_ONE],
    finds: 'not-linearizable',
  },
  {
    name: 'ZooKeeper: reads after sync',
    args: [...zookeeper('zookeeper'), '--nodes', '3', ...CUT_ONE],
    finds: null,
  },
]

function run(args, seed) {
  const command = ['dist/cli/main.js', 'real', 'test', ...args, '--seed', String(seed), '--json']
  const { status, stdout, stderr } = spawnSync(process.execPath, command, {
    encoding: 'utf8',
    maxBuffer: 1 << 28,
  })
  return { status, stderr, result: status === 0 || status === 1 || status === 2 ? JSON.parse(stdout) : null }
}

function attempt({ args, finds }) {
  const begunMs = Date.now()
  let said = ''
  for (const seed of SEEDS) {
    const { status, stderr, result } = run(args, seed)
    if (result === null)
      return {
        verdict: /(needs|lacks) .* apt-get|--backend \w+: /.test(stderr) ? 'SKIPPED' : 'ERROR',
        said: stderr.trim(),
      }
    const anomalies = result.checks.flatMap((check) => check.anomalies)
    const found = anomalies.find(({ type }) => type === finds)
    const seconds = Math.round((Date.now() - begunMs) / 1000)
    if (finds === null && status === 0) return { verdict: 'held', said: '', seconds }
    if (finds === null && status === 1) return { verdict: 'WRONG', said: result.failures[0].message, seconds }
    if (status === 1 && found !== undefined)
      return { verdict: `found ${finds}`, said: found.message, seconds }
    said = result.doubts[0] ?? result.failures[0]?.message ?? 'nothing was found'
  }
  return {
    verdict: finds === null ? 'UNKNOWN' : 'MISSED',
    said,
    seconds: Math.round((Date.now() - begunMs) / 1000),
  }
}

process.chdir(new URL('..', import.meta.url).pathname)
const wanted = process.argv[2] ?? ''
const chosen = OUTCOMES.filter(({ name }) => name.toLowerCase().includes(wanted.toLowerCase()))
if (chosen.length === 0) {
  console.error(`real:known: nothing is named ${wanted}`)
  process.exit(254)
}
let worst = 0
for (const outcome of chosen) {
  const { verdict, said, seconds = 0 } = attempt(outcome)
  console.log(`| ${outcome.name} | ${verdict} | ${seconds} s | ${said.split('\n')[0].slice(0, 160)} |`)
  if (verdict === 'WRONG' || verdict === 'MISSED' || verdict === 'ERROR') worst = 1
  else if ((verdict === 'SKIPPED' || verdict === 'UNKNOWN') && worst === 0) worst = 2
}
process.exitCode = worst
