/**
 * Runs workers that share one lock file, kills one of them while it holds the lock, records the history, asks the lock
 * checker, and writes evidence for `wavetank plan run`. Real processes, real signals, real files.
 *
 *   node drive.mjs [--lock proper|none]     none is the negative control: nobody excludes anybody
 */
import { fork } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { objects } from 'wavetank/checkers'
import { History } from 'wavetank/history'

const WORKER = fileURLToPath(new URL('./worker.mjs', import.meta.url))
const WORKERS = [2, 3, 4]
const KILLS = 2

const { values } = parseArgs({ options: { lock: { type: 'string', default: 'proper' } } })
const env = process.env
const withFaults = env.WAVETANK_FAULTS === 'on'
const seeds =
  env.WAVETANK_SEED === undefined ? range(Number(env.WAVETANK_SEEDS ?? 3)) : [Number(env.WAVETANK_SEED)]
const operations = Math.ceil(Number(env.WAVETANK_OPERATIONS ?? 60) / seeds.length / 2 / 2) + 5

function range(count) {
  return Array.from({ length: count }, (_, index) => index + 1)
}

/** One seed: the events of all workers, and the kills that a dead process proves. */
async function runSeed(seed) {
  const folder = mkdtempSync(join(tmpdir(), 'wavetank-lockfile-'))
  const file = join(folder, 'shared')
  writeFileSync(file, '')
  const events = []
  const faults = { injected: 0, landed: 0 }
  const workers = WORKERS[seed % WORKERS.length]
  const start = (id) =>
    new Promise((resolve) => {
      let holding = false
      let kill = null
      const child = fork(WORKER, [file, String(operations), String(seed * 100 + id), values.lock])
      child.on('message', (event) => {
        events.push({ ...event, process: id, key: 'lock' })
        if (event.f === 'acquire' && event.type === 'ok') holding = true
        if (event.f === 'release') holding = false
        const isDue =
          withFaults && holding && faults.injected < KILLS && events.length > 40 * (faults.injected + 1)
        if (isDue && kill === null) {
          faults.injected++
          kill = now()
          child.kill('SIGKILL')
        }
      })
      child.on('close', (code, signal) => {
        if (kill !== null && signal === 'SIGKILL') {
          faults.landed++
          if (holding) events.push({ type: 'invoke', f: 'release', process: id, key: 'lock', time: kill })
          // What the dead process holds is let go at some time that only the package knows.
          if (holding)
            events.push({
              type: 'info',
              f: 'release',
              process: id,
              key: 'lock',
              time: now(),
              error: 'killed',
            })
        }
        resolve()
      })
    })
  await Promise.all(range(workers).map(start))
  rmSync(folder, { recursive: true, force: true })
  const inOrder = events.toSorted((a, b) => a.time - b.time)
  const history = History.from(
    inOrder.map(({ time, f, type, process: id, key, error }) => {
      return { type, f, process: `${seed}-${id}`, key, time, error: error ?? null }
    }),
  )
  return { seed, history, faults, workers, events: inOrder, result: objects.lock(history) }
}

function now() {
  return Number(process.hrtime.bigint() / 1000n)
}

/** The events of a failing seed: how long each process held the lock decides whether it was late or wrong. */
function keep({ seed, events }) {
  if (process.env.WAVETANK_ARTIFACTS === undefined) return null
  const file = join(process.env.WAVETANK_ARTIFACTS, `history-seed-${seed}.jsonl`)
  writeFileSync(file, events.map((event) => `${JSON.stringify(event)}\n`).join(''))
  return file
}

const begun = performance.now()
const runs = []
let artefact = null
for (const seed of seeds) {
  const run = await runSeed(seed)
  runs.push(run)
  console.log(`seed ${seed}: ${run.workers} workers, ${run.history.length} operations, ${run.result.verdict}`)
  if (run.result.verdict !== 'invalid') continue
  artefact = keep(run)
  break
}

const sum = (of) => runs.reduce((total, run) => total + of(run), 0)
const count = (f, type) =>
  sum(({ history }) => [...history.operations()].filter((each) => each.f === f && each.type === type).length)
const invalid = runs.filter(({ result }) => result.verdict === 'invalid')
const total = sum(({ history }) => history.length)
const evidence = {
  version: 1,
  kind: 'evidence',
  source: {
    kind: 'command',
    what: `proper-lockfile, lock ${values.lock}`,
    versions: { node: process.version },
  },
  ended: 'completed',
  environment: {},
  operations: ['acquire', 'release'].map((f) => ({
    f,
    ok: count(f, 'ok'),
    fail: count(f, 'fail'),
    info: count(f, 'info'),
  })),
  history: {
    operations: total,
    truncated: false,
    clock: 'monotonic',
    reusedIds: 0,
    outputsOfTimeouts: 0,
    fields: {
      op_id: 'recorded',
      process_id: 'recorded',
      invoke_ts: 'recorded',
      complete_ts: 'recorded',
      op_type: 'recorded',
      key: 'recorded',
      input: 'recorded',
      output: 'recorded',
      error: 'recorded',
      timeout_marker: 'derived',
      node_seen: 'absent',
      fault_epoch: 'derived',
    },
  },
  oracles: [
    {
      name: 'checker: lock',
      kind: 'checker',
      verdict:
        invalid.length > 0
          ? 'invalid'
          : runs.every(({ result }) => result.verdict === 'valid')
            ? 'valid'
            : 'unknown',
      checks: sum(({ result }) => result.checks),
      operations: sum(({ result }) => result.scope.operations),
      ignored: sum(({ result }) => result.scope.ignored),
      when: 'end',
      reason: runs.find(({ result }) => result.verdict === 'unknown')?.result.reason ?? null,
    },
  ],
  faults: [
    {
      nemesis: 'hard-kill',
      injected: sum(({ faults }) => faults.injected),
      landed: sum(({ faults }) => faults.landed),
      victimSignals: sum(({ faults }) => faults.landed),
      signal: 'the holder ended by SIGKILL, as its parent saw',
    },
  ],
  seeds: runs.map(({ seed, result }) => ({
    seed,
    outcome: { valid: 'held', invalid: 'violated', unknown: 'unjudged' }[result.verdict],
  })),
  violations: invalid.slice(0, 1).map(({ seed, result }) => ({
    signature: `checker: lock`,
    message: result.anomalies[0].message,
    seed,
    seeds: invalid.length,
    reruns: { tried: 0, failedAgain: 0 },
    reproducer: `WAVETANK_SEED=${seed} node examples/plans/proper-lockfile/drive.mjs`,
    artefact,
  })),
  wallMs: performance.now() - begun,
  recovery: withFaults ? { completed: invalid.length === 0 && count('acquire', 'ok') > 0 } : null,
  topologies: [...new Set(runs.map(({ workers }) => `${workers} workers`))],
}
if (env.WAVETANK_EVIDENCE === undefined) console.log(JSON.stringify(evidence, null, 2))
else writeFileSync(env.WAVETANK_EVIDENCE, JSON.stringify(evidence, null, 2))
