import { describe, expect, it } from 'vitest'
import { simulation, type SimulationDefinition } from './definition.ts'

/** A definition as a user may write it: with the right options and wrong ones. */
function declare(more: Record<string, unknown>): unknown {
  const definition = { processes: {}, workload: { run: () => {} }, ...more }
  return simulation('a', definition as unknown as SimulationDefinition)
}

const run = (): void => {}

describe('a simulation', () => {
  it('may use every option', () => {
    const all = {
      processes: {
        kv: {
          run,
          count: [1, 3],
          args: () => [],
          env: { A: '1' },
          cwd: '/',
          tags: ['a'],
          locality: { zone: 'a' },
          onExit: 'restart',
          spared: true,
        },
      },
      workload: {
        run,
        clients: 2,
        operations: [1, 2],
        spanMs: 5,
        setup: run,
        open: run,
        settled: run,
        final: run,
        check: run,
      },
      invariants: { holds: run },
      taps: { wire: { port: 80, decode: 'json', protocol: 'tcp' } },
      files: { data: { of: 'kv1', path: '/data' } },
      budget: { dead: 'all', clockSkewMs: 1, lyingDisks: 1, byzantineLinks: true, partitions: false },
      levels: {
        stormy: {
          swarm: false,
          windowMs: [1, 2],
          links: { latency: { kind: 'constant', us: 3 }, loss: 0.1 },
          families: { pause: null, reset: { everyMs: 1, chance: 0.5, durationMs: [0, 0] } },
          attrition: { kill: 1, scope: { process: 1, machine: 0, zone: 0 } },
          seeds: 3,
        },
      },
      limits: { virtualMs: 1, steps: 1, stepsPerVirtualMs: 1, settleVirtualMs: 1 },
      externals: { sqlite: './stub.ts' },
      addons: ['bcrypt'],
      bootMs: 0,
      restMs: 0,
    }
    expect(declare(all)).toMatchObject({ name: 'a' })
  })

  it.each<[Record<string, unknown>, string]>([
    [{ invariantz: {} }, 'there is no option "invariantz"; did you mean "invariants"?'],
    [{ bugdet: {} }, 'there is no option "bugdet"; did you mean "budget"?'],
    [{ budget: { daed: 1 } }, 'there is no option "budget.daed"; did you mean "dead"?'],
    [
      { budget: { dead: 'most' } },
      "budget.dead: expected a whole number from 0, or 'minority' or 'all', and got 'most'",
    ],
    [{ limits: { settleMs: 3 } }, 'there is no option "limits.settleMs"; it is "settleVirtualMs"'],
    [{ levels: { rainy: {} } }, 'there is no option "levels.rainy"; there are sunny, stormy, radioactive'],
    [
      { levels: { stormy: { families: { partitoin: null } } } },
      'there is no option "levels.stormy.families.partitoin"; did you mean "partition"?',
    ],
    [
      { levels: { stormy: { families: { pause: { everyMs: 0, chance: 1, durationMs: [1, 2] } } } } },
      'levels.stormy.families.pause.everyMs: expected a whole number from 1, and got 0',
    ],
    [
      { levels: { stormy: { families: { pause: { everyMs: 1, ppm: 5, durationMs: [1, 2] } } } } },
      'there is no option "levels.stormy.families.pause.ppm"; it is "chance"',
    ],
    [
      { levels: { stormy: { links: { splitPpm: 5 } } } },
      'there is no option "levels.stormy.links.splitPpm"; it is "split"',
    ],
    [
      { processes: { p: { run, onExit: 'explode' } } },
      "processes.p.onExit: expected 'fail', 'restart' or 'ignore'",
    ],
    [
      { processes: { p: { run, cuont: 2 } } },
      'there is no option "processes.p.cuont"; did you mean "count"?',
    ],
    [{ processes: undefined }, 'processes is missing: expected an object'],
    [{ invariants: { holds: true } }, 'invariants.holds: expected a function, and got true'],
    [{ addons: 'bcrypt' }, "addons: expected a list, each a text that is not empty, and got 'bcrypt'"],
    [{ externals: { sqlite: 3 } }, 'externals.sqlite: expected a text that is not empty, and got 3'],
    [{ bootMs: -1 }, 'bootMs: expected a number from 0, and got -1'],
    [{ taps: { t: {} } }, 'taps.t needs either port (a number) or path (of a unix socket)'],
    [
      { taps: { t: { port: 1, decode: 'xml' } } },
      "taps.t.decode: expected a function, or 'bytes', 'text', 'lines' or 'json'",
    ],
    [
      { files: { f: { of: 'kv', path: '/a' } } },
      'files.f.of must be a group of processes or one of them, not "kv"',
    ],
    [{ workload: {} }, 'workload.run is missing: expected a function'],
    [{ workload: undefined }, 'workload is missing: expected an object of clients, operations, '],
    [
      { levels: { stormy: { families: { pause: { everyMs: 1, chance: -0.5, durationMs: [1, 2] } } } } },
      'levels.stormy.families.pause.chance: expected a fraction from 0 to 1, and got -0.5',
    ],
    [
      { levels: { stormy: { families: { pause: { everyMs: 1, chance: 1, durationMs: [-1, 2] } } } } },
      'levels.stormy.families.pause.durationMs: expected ',
    ],
    [{ workload: { run, client: 2 } }, 'there is no option "workload.client"; did you mean "clients"?'],
    [{ workload: { run, clients: 1.5 } }, 'workload.clients: expected a whole number from 0'],
    [
      { processes: { kv: {} } },
      'processes.kv needs one of entry (a file), run (a function) and system (no Node program)',
    ],
    [{ processes: { 'k v': { run } } }, "processes.k v: a group's name becomes host names"],
    [{ processes: { kv: { run, env: { A: 1 } } } }, 'processes.kv.env.A: expected a text, and got 1'],
    [
      { levels: { sunny: { links: { latency: { kind: 'constant', ms: 3 } } } } },
      "levels.sunny.links.latency: expected { kind: 'constant', us }",
    ],
  ])('is refused with %o', (wrong, message) => {
    expect(() => declare(wrong)).toThrow(`simulation('a'): ${message}`)
  })
})
