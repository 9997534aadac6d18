/**
 * What this machine can do for real tests, before one is run: tools, rights and kernel features, what each is for, and
 * what to install on Debian where something is missing. It changes nothing on the machine.
 */
import { existsSync } from 'node:fs'
import { createServer } from 'node:net'
import { UsageError } from '../../kernel/errors.ts'
import type { RealSystem } from '../../sim/authoring/real-system.ts'
import { freezerRefusal, groupRoot } from '../nemeses/freezer.ts'
import { examineBackends } from './backends.ts'
import type { Finding } from './finding.ts'
import { findProgram } from './programs.ts'

interface Tool {
  readonly name: string
  readonly package: string
  readonly purpose: string
  /** Folders besides those of PATH. */
  readonly folders?: readonly string[]
}

const TOOLS: readonly Tool[] = [
  { name: 'etcd', package: 'etcd-server', purpose: 'examples/real/etcd' },
  { name: 'redis-server', package: 'redis-server', purpose: 'examples/real/redis' },
  { name: 'redis-sentinel', package: 'redis-sentinel', purpose: 'examples/real/redis: failover' },
  {
    name: 'postgres',
    package: 'postgresql-15',
    purpose: 'examples/real/postgres',
    folders: ['/usr/lib/postgresql/15/bin'],
  },
  { name: 'nats-server', package: 'nats-server', purpose: 'examples/real/nats' },
  { name: 'rabbitmq-server', package: 'rabbitmq-server', purpose: 'examples/real/rabbitmq' },
  { name: 'java', package: 'default-jre-headless', purpose: 'examples/real/zookeeper' },
  {
    name: 'zkServer.sh',
    package: 'zookeeper',
    purpose: 'examples/real/zookeeper',
    folders: ['/usr/share/zookeeper/bin'],
  },
  { name: 'strace', package: 'strace', purpose: 'errors and delays of the disk' },
  { name: 'faketime', package: 'faketime', purpose: 'clocks that go wrong' },
]

/** Programs of a system that are not installed, with their packages. */
export function missingOf({ needs }: RealSystem, path: string): [program: string, debian: string][] {
  return Object.entries(needs).filter(([program]) => findProgram(program, path) === null)
}

/** What installs a system: its own commands, or Debian's packages. */
export function installs({ install, needs }: RealSystem): readonly (readonly string[])[] {
  const packages = [...new Set(Object.values(needs))]
  return install ?? [['apt-get', 'install', '-y', '--no-install-recommends', ...packages]]
}

/** Refuses to begin with a system whose programs are not installed. */
export function checkNeeds(system: RealSystem, path: string): void {
  const missing = missingOf(system, path)
  if (missing.length === 0) return
  throw new UsageError(
    'ERR_WAVETANK_NOT_INSTALLED',
    `wavetank real: ${system.name} needs ${missing.map(([program]) => program).join(', ')}; on Debian, as root: apt-get install -y --no-install-recommends ${[...new Set(missing.map(([, name]) => name))].join(' ')}`,
  )
}

/** Looks at everything there is to know. `path` is the search path for programs. */
export async function examine(path: string): Promise<Finding[]> {
  const tools = TOOLS.map((tool): Finding => {
    const { name, purpose, folders = [] } = tool
    const found = findProgram(name, path, folders)
    return {
      name,
      present: found !== null,
      purpose,
      package: tool.package,
      detail: found ?? 'not found',
      required: false,
      part: purpose.startsWith('examples/') ? 'system' : 'faults',
    }
  })
  return [processTable(), await loopback(), ...examineBackends(path), freezer(), ...tools]
}

function processTable(): Finding {
  const present = existsSync('/proc/self/stat')
  return {
    name: '/proc',
    present,
    purpose: 'evidence of process faults, cleaning up',
    package: null,
    detail: present ? '/proc' : 'this is not Linux; real tests need Linux',
    required: true,
    part: 'all',
  }
}

function freezer(): Finding {
  const refusal = existsSync('/proc/mounts') ? freezerRefusal() : 'this is not Linux'
  return {
    name: 'the freezer',
    present: refusal === null,
    purpose: 'nodes that the kernel does not run',
    package: null,
    detail: refusal ?? groupRoot()!,
    required: false,
    part: 'faults',
  }
}

/** Every node has a loopback address of its own. */
async function loopback(): Promise<Finding> {
  const address = '127.15.1.1'
  const reason = await new Promise<string | null>((resolve) => {
    const server = createServer()
    server.once('error', (error) => resolve(error.message))
    server.listen(0, address, () => server.close(() => resolve(null)))
  })
  return {
    name: 'loopback addresses',
    present: reason === null,
    purpose: 'the local backend: an address for every node',
    package: null,
    detail: reason ?? 'all of 127.0.0.0/8',
    required: true,
    part: 'all',
  }
}

/** The line that installs what is missing, or null. */
export function installLine(findings: readonly Finding[]): string | null {
  const missing = findings.flatMap(({ present, package: name }) => (present || name === null ? [] : [name]))
  return missing.length === 0
    ? null
    : `apt-get install -y --no-install-recommends ${[...new Set(missing)].join(' ')}`
}
