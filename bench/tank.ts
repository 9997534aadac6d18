/**
 * npm run bench:tank -- [--json] [--only PATTERN]
 *
 * The tank's speed: one row per promise, each with its bar and measured in a process of its own, so that none starts with
 * the garbage and the warmth of another. See bench/tank/measurement.ts for how it is measured.
 */
import { runSubjects } from './subjects.ts'
import { kvSeeds } from './tank/campaigns.ts'
import { echoPair, echoPairInThreads, lightExploration } from './tank/explorations.ts'
import { kernelTimers } from './tank/kernel-timers.ts'
import type { Row } from './tank/measurement.ts'
import { heartbeats, reboot } from './tank/processes.ts'
import { express, manyPairs, pingPong } from './tank/sockets.ts'

const SUBJECTS: Readonly<Record<string, () => Row | Promise<Row>>> = {
  kernel: kernelTimers,
  tcp: pingPong,
  express,
  heartbeats,
  pairs: manyPairs,
  reboot,
  kv: kvSeeds,
  echo: echoPair,
  threads: echoPairInThreads,
  light: lightExploration,
}

await runSubjects(import.meta.filename, SUBJECTS)
