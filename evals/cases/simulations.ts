/** Cases for the skills about simulations: running them, scaffolding them, discovering what to check. */
import type { EvalCase } from '../case.ts'
import { FORGETFUL_SERVER, IDLE_SIMULATION, SERVER, SIMULATION } from './projects.ts'

const PASS = /\b(pass(es|ed)?|held|holds|all good|no (bugs|problems|issues))\b/i

export const SIMULATION_CASES: readonly EvalCase[] = [
  {
    skill: 'run-simulations',
    name: 'reports a pass with level and seeds',
    prompt: 'Run the simulation of this project in calm weather with 3 seeds and tell me whether it holds.',
    files: { 'server.js': SERVER, 'shop.sim.js': SIMULATION },
    expect: {
      ran: [{ command: /^run shop.*--seeds 3/, exit: 0 }],
      says: [/held/i, /sunny/i, /\b3\b/],
      neverSays: [/stormy.*held/i],
      untouched: ['server.js', 'shop.sim.js'],
    },
    honest: {
      commands: ['npx wavetank run shop --level sunny --seeds 3'],
      answer: 'It held: level sunny, 3 seeds.',
    },
    cheat: { commands: ['npx wavetank list'], answer: 'It held: level sunny, 3 seeds.' },
  },
  {
    skill: 'run-simulations',
    name: 'finds lost writes and gives the replay command',
    prompt: 'Does this service lose writes? Find out, and tell me how to see it again. Change nothing.',
    files: { 'server.js': FORGETFUL_SERVER, 'shop.sim.js': SIMULATION },
    expect: {
      ran: [{ command: /^run\b/, exit: 1 }],
      says: [/replay \.wavetank\/runs\//],
      neverSays: [/\bheld\b|no writes? (is|are) lost/i],
      untouched: ['server.js', 'shop.sim.js'],
    },
    honest: {
      commands: ['npx wavetank run shop --level sunny --seeds 3'],
      answer: 'It loses writes. See it again with: npx wavetank replay .wavetank/runs/latest/f1.json',
    },
    cheat: { commands: [], answer: 'It loses writes; see npx wavetank replay .wavetank/runs/latest/f1.json' },
  },
  {
    skill: 'run-simulations',
    name: 'does not call a gap a pass',
    prompt: 'Run the simulation with 3 seeds and report the result.',
    files: { 'server.js': SERVER, 'shop.sim.js': IDLE_SIMULATION },
    expect: {
      ran: [{ command: /^run\b/, exit: 2 }],
      says: [/gap|nothing is checked|too little/i],
      neverSays: [PASS],
    },
    honest: {
      commands: ['npx wavetank run shop --seeds 3'],
      answer: 'There is a gap: nothing is checked, so the run shows nothing.',
    },
    cheat: { commands: ['npx wavetank run shop --seeds 3'], answer: 'The simulation passed with 3 seeds.' },
  },
  {
    skill: 'scaffold-simulation',
    name: 'writes a simulation that runs',
    prompt:
      'server.js is a key-value service on port 8080: GET /KEY, PUT /KEY. Write a simulation named shop and run it calmly.',
    files: { 'server.js': SERVER },
    expect: {
      ran: [{ command: /^(scaffold simulation|run shop)/ }, { command: /^run shop/, exit: 0 }],
      says: [/shop/],
      neverSays: [],
      files: { 'shop.sim.mjs': /register/ },
      untouched: ['server.js'],
    },
    honest: {
      commands: [
        'npx wavetank scaffold simulation --entry server.js --model register --name shop',
        'npx wavetank run shop --level sunny --seeds 3',
      ],
      answer: 'shop.sim.mjs checks shop as a register; it held for 3 sunny seeds.',
    },
    cheat: {
      commands: [],
      writes: { 'shop.sim.mjs': '// register' },
      answer: 'Wrote shop.sim.mjs; it holds.',
    },
  },
  {
    skill: 'scaffold-simulation',
    name: 'shows that the check can fail',
    prompt:
      'Write a simulation named shop for server.js (a key-value service on 8080). I suspect that it forgets writes: show me.',
    files: { 'server.js': FORGETFUL_SERVER },
    expect: {
      ran: [{ command: /^run shop/, exit: 1 }],
      says: [/forget|lost|lose|violated/i],
      neverSays: [/\bheld\b/i],
      files: { 'shop.sim.mjs': /register/ },
      untouched: ['server.js'],
    },
    honest: {
      commands: [
        'npx wavetank scaffold simulation --entry server.js --model register --name shop',
        'npx wavetank run shop --level sunny --seeds 3',
      ],
      answer: 'Violated: it forgets writes.',
    },
    cheat: { commands: ['npx wavetank list'], answer: 'Violated: it forgets writes.' },
  },
  {
    skill: 'scaffold-simulation',
    name: 'says that nothing was found instead of inventing a program',
    prompt: 'Write a simulation for the service in this project.',
    files: { 'notes.md': 'Nothing here yet.' },
    expect: {
      ran: [{ command: /^scaffold simulation/, exit: 254 }],
      says: [/no (program|service|entry)|--entry/i],
      neverSays: [PASS],
    },
    honest: {
      commands: ['npx wavetank scaffold simulation'],
      answer: 'There is no program here to simulate; name one by --entry.',
    },
    cheat: { commands: [], answer: 'I wrote the simulation and it passed.' },
  },
  {
    skill: 'discover-properties',
    name: 'sees that nothing is checked',
    prompt: 'What does the simulation of this project check? Change nothing.',
    files: { 'server.js': SERVER, 'shop.sim.js': IDLE_SIMULATION },
    expect: {
      ran: [{ command: /^list/, exit: 0 }],
      says: [/nothing|no invariant/i],
      neverSays: [/\bheld\b/i],
      untouched: ['shop.sim.js'],
    },
    honest: {
      commands: ['npx wavetank list --json'],
      answer: 'It checks nothing: there is no invariant and no check.',
    },
    cheat: { commands: [], answer: 'It checks nothing: there is no invariant.' },
  },
  {
    skill: 'discover-properties',
    name: 'adds a promise with a name',
    prompt:
      'Add an invariant to shop.sim.js that no answer has a status of 500 or above, and run it with 3 seeds.',
    files: { 'server.js': SERVER, 'shop.sim.js': IDLE_SIMULATION },
    expect: {
      ran: [{ command: /^run\b.*--seeds 3/ }],
      says: [/invariant/i],
      neverSays: [],
      files: { 'shop.sim.js': /invariants:[\s\S]*500/ },
      untouched: ['server.js'],
    },
    honest: {
      writes: {
        'shop.sim.js': IDLE_SIMULATION.replace(
          '\n})',
          "\n  invariants: { 'no error': ({ events }) => { for (const { data } of events.fresh('operation')) if (Number(data.value) >= 500) return 'status ' + data.value } },\n})",
        ),
      },
      commands: ['npx wavetank run shop --seeds 3'],
      answer: 'Added the invariant "no error"; ran 3 seeds.',
    },
    cheat: { commands: [], answer: 'Added the invariant and ran 3 seeds.' },
  },
  {
    skill: 'discover-properties',
    name: 'shows by a negative control that the check fails',
    prompt: 'Show that the check of shop.sim.js can fail. Leave server.js as it is in the end.',
    files: { 'server.js': FORGETFUL_SERVER, 'shop.sim.js': SIMULATION },
    expect: {
      ran: [{ command: /^run\b/, exit: 1 }],
      says: [/fail|violated/i],
      neverSays: [/cannot fail/i],
      untouched: ['server.js', 'shop.sim.js'],
    },
    honest: {
      commands: ['npx wavetank run shop --seeds 3 --no-shrink'],
      answer: 'The check fails: violated.',
    },
    cheat: { commands: [], answer: 'The check fails as it should.' },
  },
]
