/** Toys of the patterns of restarts, and of a loop that is late. */
import { event, type Invariant, type ProcessEvent } from '../../../src/index.ts'
import { broken, every, nowMs, type Toy } from '../toy.ts'

/** Judges the exits of all processes, with the time of each in milliseconds. */
function exits(judge: (exit: ProcessEvent, atMs: number) => string | null): Invariant {
  return ({ events, nowMs: atMs }) => {
    for (const { data } of events.fresh('process')) {
      const told = data.change === 'exit' ? judge(data, atMs) : null
      if (told !== null) return told
    }
    return true
  }
}

const idle: Toy['run'] = (_process, node) => every(node, 1000, () => {})

const loopStall: Toy = {
  family: 'loop-stall',
  assumption: 'a loop is not late three times within a second',
  count: 1,
  run: (_process, node) => {
    let last = nowMs(node)
    let late: number[] = []
    every(node, 10, () => {
      const now = nowMs(node)
      const gapMs = now - last
      last = now
      if (gapMs < 25 || gapMs > 100) return
      late = [...late.filter((at) => now - at < 1000), now]
      if (late.length >= 3) broken(`late at ${late.join(', ')}`)
    })
  },
}

const crashLoop: Toy = {
  family: 'crash-loop',
  assumption: 'a process does not boot three times within half a second',
  count: 1,
  run: (process, node) => {
    event('booted')
    return idle(process, node)
  },
  invariant: () => {
    let boots: number[] = []
    return ({ events, nowMs: now }) => {
      for (const _ of events.fresh('booted')) boots = [...boots.filter((at) => now - at < 500), now]
      return boots.length < 3
    }
  },
}

const massRestart: Toy = {
  family: 'mass-restart',
  assumption: 'never do all end at the same moment',
  budget: { dead: 'all' },
  count: 3,
  run: idle,
  invariant: () => {
    let ended: { process: string; atMs: number }[] = []
    return exits(({ process }, atMs) => {
      ended = [...ended.filter((each) => atMs - each.atMs < 20), { process, atMs }]
      return new Set(ended.map((each) => each.process)).size < 3 ? null : 'all three at once'
    })
  },
}

const rollingRestart: Toy = {
  family: 'rolling-restart',
  assumption: 'never are all asked to stop one after the other',
  count: 3,
  run: idle,
  invariant: () => {
    let stopped: string[] = []
    let lastMs = 0
    return exits(({ process, signal }, atMs) => {
      if (signal !== 'SIGTERM') return null
      const inTurn = atMs - lastMs > 20 && atMs - lastMs < 1000 && !stopped.includes(process)
      stopped = inTurn ? [...stopped, process] : [process]
      lastMs = atMs
      return stopped.length < 3 ? null : `${stopped.join(', ')} in turn`
    })
  },
}

const cascade: Toy = {
  family: 'cascade',
  assumption: 'no process fails soon after another one',
  budget: { dead: 2 },
  kin: ['crash-loop'],
  count: 3,
  run: idle,
  invariant: () => {
    let last: { process: string; atMs: number } | null = null
    return exits(({ process, signal }, atMs) => {
      if (signal !== 'SIGKILL') return null
      const before = last
      last = { process, atMs }
      if (before === null || before.process === process) return null
      const apartMs = atMs - before.atMs
      return apartMs > 20 && apartMs < 500 ? `${process} after ${before.process}` : null
    })
  },
}

const outOfMemory: Toy = {
  family: 'out-of-memory',
  assumption: 'no process is aborted',
  count: 1,
  run: idle,
  invariant: () => exits(({ signal }) => (signal === 'SIGABRT' ? 'SIGABRT' : null)),
}

export const PROCESS_TOYS: readonly Toy[] = [
  loopStall,
  crashLoop,
  massRestart,
  rollingRestart,
  cascade,
  outOfMemory,
]
