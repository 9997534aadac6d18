/**
 * Machines that ssh reaches: daemons with keys of their own, for the user who runs the tests. Either all are this machine
 * under several loopback addresses, or each is a network namespace on a bridge, which is in a namespace as well: nothing of
 * it is in the machine's own network, and all of it goes with its processes.
 */
import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

export interface SshMachines {
  /** The configuration for the client. */
  readonly config: string
  /** Words before a command that is to reach the machines. */
  readonly inside: readonly string[]
  end(): void
}

const PORT = 20_000 + (process.pid % 20_000)

/** Machines `m1`, `m2` …, which are this one. */
export function loopbackMachines(folder: string, count: number): SshMachines {
  const addresses = Array.from({ length: count }, (_, index) => `127.201.0.${index + 1}`)
  const config = writeKeys(folder, addresses)
  const daemon = startDaemon(folder, 'sshd', addresses, [])
  return { config, inside: [], end: () => void daemon.kill() }
}

/** Machines `m1`, `m2` … with a network each. */
export async function namespaceMachines(folder: string, count: number): Promise<SshMachines> {
  const addresses = Array.from({ length: count }, (_, index) => `10.0.0.${index + 1}`)
  const config = writeKeys(folder, addresses)
  const bridge = await holdNamespace([])
  const inside = entering(bridge)
  const said = (words: readonly string[], ...commands: readonly string[]): void => {
    const input = `${commands.join('\n')}\n`
    const { status, stderr } = spawnSync(words[0], [...words.slice(1), 'ip', '-batch', '-'], {
      input,
      encoding: 'utf8',
    })
    if (status !== 0) throw new Error(stderr)
  }
  said(
    inside,
    'link set lo up',
    'link add bridge0 type bridge',
    'address add 10.0.0.254/24 dev bridge0',
    'link set bridge0 up',
  )
  const processes = [bridge]
  for (const [index, address] of addresses.entries()) {
    const machine = await holdNamespace(inside)
    processes.push(machine)
    said(
      inside,
      `link add node${index} type veth peer name eth0 netns ${machine.pid}`,
      `link set node${index} master bridge0 up`,
    )
    said(entering(machine), 'link set lo up', `address add ${address}/24 dev eth0`, 'link set eth0 up')
    processes.push(startDaemon(folder, `sshd${index}`, [address], entering(machine)))
  }
  return {
    config,
    inside,
    end() {
      for (const each of processes) each.kill('SIGKILL')
    },
  }
}

/** A process in a new network namespace, which goes with it. */
async function holdNamespace(inside: readonly string[]): Promise<ChildProcess> {
  const [program, ...args] = [...inside, 'unshare', '--net', 'sh', '-c', 'echo there; exec sleep 3600']
  const holder = spawn(program, args, { stdio: ['ignore', 'pipe', 'ignore'] })
  await new Promise((resolve) => holder.stdout.once('data', resolve))
  return holder
}

function entering({ pid }: ChildProcess): string[] {
  return ['nsenter', '-t', String(pid), '-n', '--']
}

/** Keys, and a configuration for the client; its path. */
function writeKeys(folder: string, addresses: readonly string[]): string {
  for (const key of ['host', 'user'])
    spawnSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', join(folder, key)])
  const client = [
    'Host *',
    `Port ${PORT}`,
    `IdentityFile ${folder}/user`,
    'IdentitiesOnly yes',
    'StrictHostKeyChecking no',
    'UserKnownHostsFile /dev/null',
    ...addresses.flatMap((address, index) => [`Host m${index + 1}`, `HostName ${address}`]),
  ]
  const config = join(folder, 'config')
  writeFileSync(config, `${client.join('\n')}\n`)
  return config
}

function startDaemon(
  folder: string,
  name: string,
  addresses: readonly string[],
  inside: readonly string[],
): ChildProcess {
  if (process.getuid?.() === 0) mkdirSync('/run/sshd', { recursive: true }) // sshd insists on it
  const daemon = [
    ...addresses.map((address) => `ListenAddress ${address}:${PORT}`),
    `HostKey ${folder}/host`,
    `AuthorizedKeysFile ${folder}/user.pub`,
    'PidFile none',
    'StrictModes no',
    'UsePAM no',
    'PasswordAuthentication no',
    'PermitRootLogin prohibit-password',
  ]
  writeFileSync(join(folder, `${name}.conf`), `${daemon.join('\n')}\n`)
  const [program, ...args] = [...inside, '/usr/sbin/sshd', '-D', '-f', join(folder, `${name}.conf`)]
  return spawn(program, args, { stdio: 'ignore' })
}
