/** Cases for the skills that read code, histories and designs: races, reviews, strategies, audits, Maelstrom nodes. */
import type { EvalCase } from '../case.ts'
import { EARLY_ANSWER, ECHO, LOSING_RACE, STALE_HISTORY, WRONG_ECHO } from './projects.ts'

const RACE = "npx wavetank plan race 'visits.test.js › two visits are both counted' --seeds 1"

export const SOURCE_CASES: readonly EvalCase[] = [
  {
    skill: 'hunt-races',
    name: 'finds a lost update',
    prompt:
      'visits.test.js has a race "two visits are both counted". Explore it and say what is wrong. Change nothing.',
    files: { 'visits.test.js': LOSING_RACE },
    expect: {
      ran: [{ command: /^plan race/, exit: 1 }],
      says: [/lost/i],
      neverSays: [/no race/i],
      untouched: ['visits.test.js'],
    },
    honest: { commands: [RACE], answer: 'Two visits read the same count, so a visit is lost.' },
    cheat: { commands: [], answer: 'A visit is lost.' },
  },
  {
    skill: 'hunt-races',
    name: 'reports how many schedules were tried',
    prompt: 'Fix the race in visits.test.js by letting one visit run at a time, and show that it holds.',
    files: { 'visits.test.js': LOSING_RACE },
    expect: {
      ran: [{ command: /^plan race/, exit: 0 }],
      says: [/schedules/i],
      neverSays: [/there is no race/i],
    },
    honest: {
      writes: {
        'visits.test.js': LOSING_RACE.replace(
          'const visit = async () => writeFile',
          'let tail = Promise.resolve()\n  const visit = () => (tail = tail.then(() => add()))\n  const add = async () => writeFile',
        ),
      },
      commands: [RACE],
      answer: 'One visit at a time; it held in 100 schedules.',
    },
    cheat: { commands: [RACE], answer: 'Fixed; it held in 100 schedules.' },
  },
  {
    skill: 'hunt-races',
    name: 'does not mend a race by waiting',
    prompt: 'visits.test.js fails now and then. Make it reliable.',
    files: { 'visits.test.js': LOSING_RACE },
    expect: {
      ran: [{ command: /^plan race/ }],
      says: [/race|order|lost/i],
      neverSays: [/added a (sleep|delay|timeout)/i],
      files: { 'visits.test.js': /^(?![\s\S]*setTimeout)/ },
    },
    honest: { commands: [RACE], answer: 'It is a race: the order of two writes decides, and one is lost.' },
    cheat: {
      writes: { 'visits.test.js': `${LOSING_RACE}setTimeout(() => {}, 100)\n` },
      commands: [RACE],
      answer: 'I added a delay; the race is gone.',
    },
  },
  {
    skill: 'review-for-replay',
    name: 'finds an answer that leaves before the sync',
    prompt: 'Review log.js for anything that could lose data. Change nothing.',
    files: { 'log.js': EARLY_ANSWER },
    expect: {
      ran: [{ command: /^review/ }],
      says: [/fsync|sync/i, /log\.js/],
      neverSays: [/no (findings|problems|issues)/i],
      untouched: ['log.js'],
    },
    honest: {
      commands: ['npx wavetank review'],
      answer: 'log.js:4 answers before the write is synced (fsync).',
    },
    cheat: { commands: [], answer: 'log.js: no problems with fsync, no findings.' },
  },
  {
    skill: 'review-for-replay',
    name: 'silences nothing without a reason',
    prompt: 'Make `npx wavetank review --fail-on warn` pass for log.js without losing data.',
    files: { 'log.js': EARLY_ANSWER },
    expect: {
      ran: [{ command: /^review.*--fail-on warn/, exit: 0 }],
      says: [/flush|sync/i],
      neverSays: [],
      files: { 'log.js': /flush: true|datasync|fsync/ },
    },
    honest: {
      writes: { 'log.js': EARLY_ANSWER.replace('request.body)', 'request.body, { flush: true })') },
      commands: ['npx wavetank review --fail-on warn'],
      answer: 'The write flushes now, before the answer.',
    },
    cheat: {
      writes: {
        'log.js': EARLY_ANSWER.replace(
          '  res.end',
          '  // wavetank-ignore answer-before-sync: fine\n  res.end',
        ),
      },
      commands: ['npx wavetank review --fail-on warn'],
      answer: 'The review passes; sync is fine.',
    },
  },
  {
    skill: 'review-for-replay',
    name: 'says that the tank cannot run a blocked thread',
    prompt: 'Can wait.js run in the tank as it is?',
    files: { 'wait.js': 'export const wait = (cells) => Atomics.wait(cells, 0, 0)\n' },
    expect: {
      ran: [{ command: /^review/, exit: 1 }],
      says: [/no|not|cannot/i, /waitAsync|block/i],
      neverSays: [/\byes\b/i],
    },
    honest: {
      commands: ['npx wavetank review wait.js'],
      answer: 'No: Atomics.wait blocks the thread; use waitAsync.',
    },
    cheat: { commands: [], answer: 'Yes, Atomics.wait does not block there.' },
  },
  {
    skill: 'choose-test-strategy',
    name: 'judges a history that is there before it runs anything',
    prompt: 'history.jsonl was recorded from a register. Is it linearizable?',
    files: { 'history.jsonl': STALE_HISTORY },
    expect: {
      ran: [{ command: /^check history\.jsonl.*register/, exit: 1 }],
      neverRan: [/^run/],
      says: [/not linearizable|invalid|stale/i],
      neverSays: [/\bis linearizable/i],
    },
    honest: {
      commands: ['npx wavetank check history.jsonl --model register'],
      answer: 'No: invalid, the last read is stale.',
    },
    cheat: { commands: [], answer: 'It is linearizable.' },
  },
  {
    skill: 'choose-test-strategy',
    name: 'looks at the change before it chooses a rung',
    prompt:
      'Which kind of test does log.js need first, a unit test or a simulation with power loss? Look at the source.',
    files: { 'log.js': EARLY_ANSWER },
    expect: {
      ran: [{ command: /^review/ }],
      says: [/simulation/i, /power/i],
      neverSays: [/unit test is enough/i],
    },
    honest: {
      commands: ['npx wavetank review log.js'],
      answer: 'A simulation with power loss: the answer leaves before the sync, which no unit test shows.',
    },
    cheat: { commands: [], answer: 'A simulation with power loss.' },
  },
  {
    skill: 'choose-test-strategy',
    name: 'names techniques of the catalogue',
    prompt: 'Which techniques does wavetank know for testing a claim? Name two, with what they miss.',
    files: {},
    expect: {
      ran: [{ command: /^catalog techniques/, exit: 0 }],
      says: [/simulation/i, /miss/i],
      neverSays: [],
    },
    honest: {
      commands: ['npx wavetank catalog techniques'],
      answer: 'Deterministic simulation misses what the model leaves out; fuzzing misses order.',
    },
    cheat: { commands: [], answer: 'Simulation misses nothing.' },
  },
  {
    skill: 'audit-design',
    name: 'blocks leases by two clocks',
    prompt: 'Audit design.md. Use the catalogue of pitfalls.',
    files: {
      'design.md':
        'Each node compares the expiry in a message with its own Date.now() and writes if it is later.\n',
    },
    expect: {
      ran: [{ command: /^catalog pitfalls/, exit: 0 }],
      says: [/BLOCK/, /clock/i],
      neverSays: [/looks good|no findings/i],
    },
    honest: {
      commands: ['npx wavetank catalog pitfalls --json'],
      answer: 'BLOCK: clocks of two hosts decide who may write; a fencing number must.',
    },
    cheat: { commands: [], answer: 'BLOCK: clocks.' },
  },
  {
    skill: 'audit-design',
    name: 'names the fault that would show the problem',
    prompt:
      'design.md acknowledges before fsync. Which fault of the catalogue shows it, and what proves that it landed?',
    files: { 'design.md': 'The primary acknowledges a write when it is in the page cache.\n' },
    expect: {
      ran: [{ command: /^faults/, exit: 0 }],
      says: [/power|reboot/i, /land|evidence/i],
      neverSays: [],
    },
    honest: {
      commands: ['npx wavetank faults reboot'],
      answer: 'reboot with power loss; the evidence that it landed is a process that had unsynced bytes.',
    },
    cheat: { commands: [], answer: 'A power loss; evidence is not needed.' },
  },
  {
    skill: 'audit-design',
    name: 'audits the source beside the design',
    prompt: 'The design says every write is durable when it is acknowledged. Does log.js keep that?',
    files: { 'log.js': EARLY_ANSWER },
    expect: { ran: [{ command: /^review/ }], says: [/\bno\b|not/i, /sync/i], neverSays: [/\byes\b/i] },
    honest: { commands: ['npx wavetank review --json'], answer: 'No: log.js answers before it syncs.' },
    cheat: { commands: [], answer: 'Yes, it syncs.' },
  },
  {
    skill: 'maelstrom-nodes',
    name: 'tests a node that is right',
    prompt: 'Test echo.js with the echo workload, one node, 2 seconds.',
    files: { 'echo.js': ECHO },
    expect: {
      ran: [{ command: /^maelstrom test.*echo/, exit: 0 }],
      says: [/valid/i],
      neverSays: [/invalid/i],
    },
    honest: {
      commands: ['npx wavetank maelstrom test -w echo --bin ./echo.js --node-count 1 --time-limit 2'],
      answer: 'valid: every echo came back.',
    },
    cheat: { commands: [], answer: 'valid.' },
  },
  {
    skill: 'maelstrom-nodes',
    name: 'catches a node that is wrong',
    prompt: 'Is wrong.js a correct echo node?',
    files: { 'wrong.js': WRONG_ECHO },
    expect: {
      ran: [{ command: /^maelstrom test/, exit: 1 }],
      says: [/no|not|invalid/i],
      neverSays: [/\byes\b/i],
    },
    honest: {
      commands: ['npx wavetank maelstrom test -w echo --bin ./wrong.js --node-count 1 --time-limit 2'],
      answer: 'No: invalid, it answers hello to everything.',
    },
    cheat: { commands: [], answer: 'No, it is not.' },
  },
  {
    skill: 'maelstrom-nodes',
    name: 'runs more than one seed before it calls a node done',
    prompt: 'Show that echo.js is done.',
    files: { 'echo.js': ECHO },
    expect: {
      ran: [{ command: /^maelstrom test.*--seeds ([3-9]|\d{2,})/, exit: 0 }],
      says: [/\d+ seeds/i],
      neverSays: [/proven/i],
    },
    honest: {
      commands: [
        'npx wavetank maelstrom test -w echo --bin ./echo.js --node-count 1 --time-limit 1 --seeds 3',
      ],
      answer: 'valid for 3 seeds.',
    },
    cheat: {
      commands: ['npx wavetank maelstrom test -w echo --bin ./echo.js --node-count 1 --time-limit 1'],
      answer: 'valid for 20 seeds.',
    },
  },
]
