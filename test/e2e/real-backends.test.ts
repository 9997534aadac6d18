/** Backends of real clusters on the built command line: namespaces, ssh, and what is said where one does not work. */
import { spawn, spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { manifestFolder } from '../../src/real/cleanup/manifest.ts'
import { processesWith } from '../../src/real/cluster/process-state.ts'
import { missingFor } from '../../src/real/doctor/backends.ts'
import { findProgram } from '../../src/real/doctor/programs.ts'
import type { RealResult } from '../../src/real/running/result.ts'
import { buildOnce } from './build.ts'
import { CLI, throwAwayProjects } from './project.ts'
import { leftIn, manifestsIn, runsIn, runUntil, until } from './real-runs.ts'
import { loopbackMachines, namespaceMachines, type SshMachines } from './ssh-machines.ts'

vi.setConfig({ testTimeout: 900_000 })

const PATH = process.env.PATH ?? ''
const ETCD = new URL('../../examples/real/etcd/etcd.real.ts', import.meta.url).pathname
const RAFT = new URL('../../examples/raft/raft.sim.ts', import.meta.url).pathname
const FULL = process.env.WAVETANK_FULL === '1'
const ROUNDS = 30
const IS_LINUX = process.platform === 'linux'
const NO_NAMESPACES = IS_LINUX ? missingFor('namespaces', PATH) : 'this is not Linux'
const NO_SSH = IS_LINUX ? missingSsh() : 'this is not Linux'
if (NO_NAMESPACES !== null) console.warn(`SKIPPED: the namespaces backend: ${NO_NAMESPACES}`)
if (NO_SSH !== null) console.warn(`SKIPPED: the ssh backend: ${NO_SSH}`)
if (!FULL) {
  console.warn(
    `SKIPPED without WAVETANK_FULL=1: ${ROUNDS} killed runs on namespaces, all runs over ssh, a stand-in for Docker`,
  )
}

/** A system that needs nothing but Node: a register in a file, with the address at which it is told to listen. */
const REGISTER = `
import { simulation } from 'wavetank'
import { linearizable, models } from 'wavetank/checkers'
const program = \`
const { createServer } = require('node:http')
const { existsSync, readFileSync, writeFileSync } = require('node:fs')
const { file, host } = JSON.parse(readFileSync(process.argv[1], 'utf8'))
console.log('serving at ' + host)
createServer((request, response) => {
  if (request.method === 'PUT') writeFileSync(file, request.url.slice(1))
  response.end(existsSync(file) ? readFileSync(file) : '')
}).listen(8123, host)
\`
const register = {
  name: 'a register',
  needs: { node: 'nodejs' },
  ports: [8123],
  logs: ['own.log'],
  start: ({ folder, listen }) => ({
    command: 'node',
    args: ['-e', program, folder + '/settings.json'],
    files: { 'settings.json': JSON.stringify({ file: folder + '/value', host: listen }) },
    prepare: [['sh', '-c', 'echo prepared > ' + folder + '/own.log']],
  }),
  ready: async ({ listen }) => (await fetch('http://' + listen + ':8123/')).ok,
  wipe: () => [['rm', '-f', process.env.OUTSIDE + '/outside']],
  stop: ({ folder }) => ['sh', '-c', 'kill $(cat ' + folder + '/../pid | cut -d" " -f1)'],
}
export default simulation('register', {
  processes: { register: { system: register, count: 2 } },
  workload: {
    clients: 2,
    open: ({ hosts, client }) => 'http://' + hosts.register[client] + ':8123/',
    run: ({ state, client, index, operation }) =>
      operation('write', { key: client, input: index + 1 }, async () => {
        await fetch(state + (index + 1), { method: 'PUT', signal: AbortSignal.timeout(1000) })
      }),
    final: ({ state, client, operation }) =>
      operation('read', { key: client }, async () => Number(await (await fetch(state)).text())),
    check: ({ history }) => linearizable(history, models.register()),
  },
})
`

/** Containers are this machine, each with a loopback address; going down ends what carries the run's name. */
const DOCKER = `#!/bin/sh
echo "$@" | head -1 >> "$HERE/docker.log"
[ "$1 $2" = "compose version" ] && exit 0
[ "$1" = info ] && exit 0
run=\${3#wavetank-}
shift 5
case $1 in
  up) exit 0 ;;
  exec) export NODE="$3" PATH="$HERE/inside:$PATH"; shift 3; exec "$@" ;;
  down)
    kill -9 $(grep -lzxF "WAVETANK_REAL_RUN=$run" /proc/[0-9]*/environ 2>/dev/null | cut -d/ -f3) 2>/dev/null
    rm -rf "/tmp/wavetank-machine-$run"
    exit 0 ;;
esac
exit 1
`
const HOSTNAME = '#!/bin/sh\necho 127.202.0.$(echo "$NODE" | tr -dc 0-9)\n'

describe.skipIf(!IS_LINUX)('backends of real clusters', () => {
  const project = throwAwayProjects()
  beforeAll(buildOnce, 300_000)

  describe('what cannot be done', () => {
    it('is a program of the project on other machines, which is said before anything is started', async () => {
      const args = ['--backend', 'ssh', '--machines', 'a,b,c']
      const { code, stderr } = await project({}).wavetank('real', 'test', RAFT, ...args)
      expect(stderr).toMatch(/only a system can run there/)
      expect(code).toBe(254)
    })

    it('is a machine too few', async () => {
      const here = project({ 'register.real.js': REGISTER })
      const { code, stderr } = await here.wavetank('real', 'test', 'register', '--backend', 'ssh')
      expect(stderr).toMatch(NO_SSH === null ? /2 nodes need as many machines/ : /lacks ssh|need as many/)
      expect(code).toBe(254)
    })

    it('is Docker without an engine', async () => {
      const here = project({
        'register.real.js': REGISTER,
        'bin/docker': '#!/bin/sh\necho no engine >&2\nexit 1\n',
      })
      chmodSync(join(here.folder, 'bin/docker'), 0o755)
      const outcome = spawnSync(process.execPath, [CLI, 'real', 'test', 'register', '--backend', 'docker'], {
        cwd: here.folder,
        env: { ...process.env, PATH: `${join(here.folder, 'bin')}:${PATH}` },
        encoding: 'utf8',
      })
      expect(outcome.stderr).toContain('--backend docker: docker has no compose plugin: no engine')
      expect(outcome.status).toBe(254)
    })
  })

  describe.skipIf(NO_NAMESPACES !== null)('namespaces', () => {
    it('cuts raft by rules of the kernel, and the machine’s own network stays as it is', async () => {
      const before = ownNetwork()
      const here = project({})
      const args = ['--backend', 'namespaces', '--nodes', '3', '--nemesis', 'partition', '--seed', '1']
      let during = 0
      const watch = setInterval(() => {
        if (namespaces().length === 3) during++
        expect(ownNetwork()).toEqual(before)
      }, 1000)
      const { stdout, stderr } = await runUntil(
        FULL ? 6 : 2,
        (time) => here.wavetank('real', 'test', RAFT, ...args, ...time, '--json'),
        (outcome) => outcome.code !== 2,
      )
      clearInterval(watch)
      if (stdout === '') throw new Error(stderr)
      const result = JSON.parse(stdout) as RealResult
      expect(during).toBeGreaterThan(0)
      expect(result.failures).toEqual([])
      expect(result.checks.map(({ verdict }) => verdict)).toEqual(['valid'])
      const cuts = result.faults.filter(({ nemesis, landed }) => nemesis === 'partition' && landed)
      expect(cuts.length).toBeGreaterThan(0)
      for (const { victim } of cuts) expect(victim).toMatch(/^\d+ packets dropped/)
      const [left] = result.invariants.filter(({ name }) => name === 'a leader only appends')
      expect(left).toMatchObject({
        status: 'left out',
        reason: expect.stringContaining('does not tap the wire'),
      })
      expect(ownNetwork()).toEqual(before)
      expect(namespaces()).toEqual([])
    })

    it.skipIf(!FULL)(
      `leaves nothing on the machine after ${ROUNDS} runs that are killed at random moments`,
      async () => {
        const before = ownNetwork()
        // A place of its own for temporary files: what is in it after the runs was left behind.
        const temporary = mkdtempSync(join(tmpdir(), 'wavetank-killed-'))
        const args = ['--backend', 'namespaces', '--nemesis', 'combined', '--nemesis-interval', '1']
        for (let round = 0; round < ROUNDS; round++) {
          const tool = spawn(process.execPath, [CLI, 'real', 'test', RAFT, ...args, '--time-limit', '60'], {
            cwd: project({}).folder,
            env: { ...process.env, TMPDIR: temporary },
            stdio: 'ignore',
          })
          await new Promise((resolve) => setTimeout(resolve, Math.random() * 6000))
          const runs = runsIn(manifestsIn(temporary))
          tool.kill(round % 3 === 0 ? 'SIGTERM' : 'SIGKILL')
          for (const run of runs) await until(() => processesWith(`WAVETANK_REAL_RUN=${run}`).length === 0)
          await until(() => leftIn(temporary).length === 0)
          await until(() => namespaces().length === 0)
        }
        rmSync(temporary, { recursive: true })
        expect(ownNetwork()).toEqual(before)
      },
      900_000,
    )
  })

  it.skipIf(!FULL)(
    'runs a system in containers as the compose file names them, and takes them down: a stand-in for Docker',
    () => {
      const before = machineFolders()
      const here = project({
        'register.real.js': REGISTER,
        'bin/docker': DOCKER,
        'inside/hostname': HOSTNAME,
      })
      for (const program of ['bin/docker', 'inside/hostname']) chmodSync(join(here.folder, program), 0o755)
      const args = [
        '--backend',
        'docker',
        '--nemesis',
        'kill',
        '--nemesis-interval',
        '1',
        '--time-limit',
        '4',
      ]
      const outcome = spawnSync(process.execPath, [CLI, 'real', 'test', 'register', ...args, '--json'], {
        cwd: here.folder,
        env: { ...process.env, HERE: here.folder, PATH: `${join(here.folder, 'bin')}:${PATH}` },
        encoding: 'utf8',
      })
      if (outcome.stdout === '') throw new Error(outcome.stderr)
      const result = JSON.parse(outcome.stdout) as RealResult
      expect(result.failures).toEqual([])
      expect(result.faults.filter(({ landed }) => landed).length).toBeGreaterThan(0)
      expect(here.read('.wavetank/real/register/latest/compose.yaml')).toContain('FROM debian:12')
      const said = here.read('docker.log').split('\n')
      expect(said[2]).toMatch(/^compose -p wavetank-\S+ -f \S+compose.yaml up --detach --build --wait$/)
      expect(said.some((line) => line.includes(' exec -T register2 sh -c '))).toBe(true)
      expect(said.at(-2)).toMatch(/ down --volumes --remove-orphans$/)
      expect(machinesMadeSince(before)).toEqual([])
    },
  )

  describe.skipIf(NO_SSH !== null || !FULL)('ssh', () => {
    let folder: string
    let machines: SshMachines
    beforeAll(async () => {
      folder = mkdtempSync('/tmp/wavetank-sshd-')
      machines = loopbackMachines(folder, 2)
      await until(() => spawnSync('ssh', ['-F', machines.config, 'm1', 'true']).status === 0)
    })
    afterAll(() => {
      machines.end()
      rmSync(folder, { recursive: true })
    })

    it.skipIf(!FULL)(
      'runs a system on machines, kills and pauses it, keeps its logs, and takes everything away',
      async () => {
        const before = machineFolders()
        const here = project({ 'register.real.js': REGISTER })
        writeFileSync(join(folder, 'outside'), '')
        process.env.OUTSIDE = folder
        const where = ['--backend', 'ssh', '--machines', 'm1,m2', '--ssh-config', machines.config]
        const faults = [
          '--nemesis',
          'kill,pause,mass-restart',
          '--nemesis-interval',
          '2',
          '--time-limit',
          '10',
        ]
        const { code, stdout, stderr } = await here.wavetank(
          'real',
          'test',
          'register',
          ...where,
          ...faults,
          '--json',
        )
        if (stdout === '') throw new Error(stderr)
        const result = JSON.parse(stdout) as RealResult
        expect(result.failures).toEqual([])
        expect(code).toBe(result.doubts.length === 0 ? 0 : 2)
        expect(result.faults.filter(({ landed }) => landed).length).toBeGreaterThan(0)
        const logs = join(here.folder, '.wavetank/real/register/latest/logs')
        expect(readdirSync(logs)).toEqual(
          expect.arrayContaining(['register1.own.log', 'register1.stdout.log']),
        )
        expect(existsSync(join(folder, 'outside'))).toBe(false)
        expect(machinesMadeSince(before)).toEqual([])
      },
    )

    it.skipIf(NO_NAMESPACES !== null || findProgram('etcd', PATH) === null)(
      'cuts, loses and resets the connections of machines by rules on them',
      async () => {
        const here = project({})
        const nets = mkdtempSync('/tmp/wavetank-sshd-')
        const apart = await namespaceMachines(nets, 3)
        try {
          const [enter, ...words] = apart.inside
          const ssh = (name: string) =>
            spawnSync(enter, [...words, 'ssh', '-F', apart.config, name, 'true']).status === 0
          await until(() => ['m1', 'm2', 'm3'].every(ssh))
          const nemeses = ['partition:primaries', 'isolate', 'loss', 'reset']
          const where = ['--backend', 'ssh', '--machines', 'm1,m2,m3', '--ssh-config', apart.config]
          const faults = ['--nemesis', nemeses.join(), '--nemesis-schedule', 'phases']
          const args = ['real', 'test', ETCD, '--nodes', '3', ...where, ...faults, '--json']
          const { status, result } = await runUntil(
            20,
            async (time) => {
              const outcome = spawnSync(enter, [...words, process.execPath, CLI, ...args, ...time], {
                cwd: here.folder,
                encoding: 'utf8',
              })
              if (outcome.stdout === '') throw new Error(outcome.stderr)
              return { status: outcome.status, result: JSON.parse(outcome.stdout) as RealResult }
            },
            (outcome) => outcome.status !== 2,
          )
          expect(result.doubts).toEqual([])
          expect(result.faults.map(({ nemesis, landed }) => [nemesis, landed])).toEqual(
            nemeses.map((nemesis) => [nemesis, true]),
          )
          expect(status).toBe(0)
          const rules = spawnSync(enter, [...words, 'ssh', '-F', apart.config, 'm1', 'nft list ruleset'])
          expect(String(rules.stdout)).toBe('')
        } finally {
          apart.end()
          rmSync(nets, { recursive: true })
        }
      },
    )

    it('refuses faults of the network where two nodes are one machine, and leaves no manifest', () => {
      const temporary = mkdtempSync(join(folder, 'refused-'))
      const where = ['--backend', 'ssh', '--machines', 'm1,m2', '--ssh-config', machines.config]
      const args = ['real', 'test', 'register', ...where, '--nemesis', 'loss']
      const { status, stderr } = spawnSync(process.execPath, [CLI, ...args], {
        cwd: project({ 'register.real.js': REGISTER }).folder,
        env: { ...process.env, TMPDIR: temporary },
        encoding: 'utf8',
      })
      expect(stderr).toContain('m1 and m2 are one machine with one network')
      expect([status, leftIn(temporary)]).toEqual([254, []])
    })

    it('leaves no manifest when a machine cannot be reached, and takes a machine that is away for later', async () => {
      const temporary = mkdtempSync(join(folder, 'away-'))
      const environment = { ...process.env, TMPDIR: temporary, OUTSIDE: folder }
      const here = project({ 'register.real.js': REGISTER })
      const args = ['real', 'test', 'register', '--backend', 'ssh', '--ssh-config', machines.config]
      const run = (names: string) =>
        spawnSync(process.execPath, [CLI, ...args, '--machines', names, '--time-limit', '2'], {
          cwd: here.folder,
          env: environment,
          encoding: 'utf8',
        })
      const refused = run('m1,127.201.0.9')
      expect(refused.stderr).toContain('machine 127.201.0.9')
      expect([refused.status, runsIn(manifestsIn(temporary))]).toEqual([254, []])

      const tool = spawn(process.execPath, [CLI, ...args, '--machines', 'm1,m2', '--time-limit', '60'], {
        cwd: here.folder,
        env: environment,
        stdio: 'ignore',
      })
      const before = machineFolders()
      await until(() => machinesMadeSince(before).length === 1)
      machines.end()
      tool.kill('SIGKILL')
      await until(() => runsIn(manifestsIn(temporary)).length === 1)
      const away = run('m1,m2')
      expect(away.stderr).toMatch(/left behind: .*ended with 255[^]*every run tries again/)
      machines = loopbackMachines(folder, 2)
      await until(() => spawnSync('ssh', ['-F', machines.config, 'm1', 'true']).status === 0)
      expect(run('m1,m2').stderr).toContain('cleaned up after 1 runs')
      expect(runsIn(manifestsIn(temporary))).toEqual([])
      expect(machinesMadeSince(before)).toEqual([])
    })

    it('takes everything away on the machines when it is killed', async () => {
      const before = machineFolders()
      const here = project({ 'register.real.js': REGISTER })
      const where = ['--backend', 'ssh', '--machines', 'm1,m2', '--ssh-config', machines.config]
      const tool = spawn(
        process.execPath,
        [CLI, 'real', 'test', 'register', ...where, '--time-limit', '60'],
        {
          cwd: here.folder,
          stdio: 'ignore',
        },
      )
      const history = join(here.folder, '.wavetank/real/register/latest/history.jsonl')
      await until(() => existsSync(history) && readFileSync(history, 'utf8').split('\n').length > 9)
      const machinesNow = machinesMadeSince(before)
      expect(machinesNow).toHaveLength(1)
      tool.kill('SIGKILL')
      const run = machinesNow[0].slice('wavetank-machine-'.length)
      await until(() => processesWith(`WAVETANK_REAL_RUN=${run}`).length === 0)
      await until(() => !existsSync(join('/tmp', machinesNow[0])))
      // The daemon stays until the last command of the manifest has reached it.
      await until(() => !existsSync(join(manifestFolder(), `${run}.json`)))
    })
  })
})

/** What runs keep on the machines of their nodes. Another run, or one that was killed with its supervisor, may have some. */
function machineFolders(): string[] {
  return readdirSync('/tmp').filter((name) => name.startsWith('wavetank-machine-'))
}

function machinesMadeSince(before: readonly string[]): string[] {
  return machineFolders().filter((name) => !before.includes(name))
}

function missingSsh(): string | null {
  for (const [program, debian] of [
    ['ssh', 'openssh-client'],
    ['/usr/sbin/sshd', 'openssh-server'],
  ] as const)
    if (findProgram(program, PATH) === null) return `${program} is not installed (Debian: ${debian})`
  return null
}

/** The machine's own network: links, addresses, routes and rules, without what changes by itself. */
function ownNetwork(): string[] {
  return [
    ['ip', '-o', 'link'],
    ['ip', '-o', '-4', 'address'],
    ['ip', 'route', 'show', 'table', 'all'],
    ['nft', 'list', 'ruleset'],
  ].map(([program, ...args]) => spawnSync(program, args, { encoding: 'utf8' }).stdout)
}

/** Namespaces of runs of this user's tests. */
function namespaces(): string[] {
  if (!existsSync('/run/netns')) return []
  return readdirSync('/run/netns').filter((name) => name.startsWith('wavetank-'))
}
