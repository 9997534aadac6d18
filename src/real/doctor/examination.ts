/**
 * What this machine can do for real tests, before one is run: tools, rights and kernel features, what each is for, and
 * what to install on Debian where something is missing. It changes nothing on the machine.
 */
import { accessSync, constants, existsSync } from 'node:fs'
import { createServer } from 'node:net'
import { delimiter, join } from 'node:path'
import { UsageError } from '../../kernel/errors.ts'
import type { RealSystem } from '../../sim/authoring/real-system.ts'

export interface Finding {
  readonly name: string
  readonly present: boolean
  /** What it is needed for. */
  readonly purpose: string
  /** The Debian package that has it; null if no package helps. */
  readonly package: string | null
  /** What is missing, or where it was found. */
  readonly detail: string
  /** Without it nothing real runs. */
  readonly required: boolean
}

interface Tool {
  readonly name: string
  readonly package: string
  readonly purpose: string
  /** Folders besides those of PATH. */
  readonly folders?: readonly string[]
}

const SYSTEM_FOLDERS = ['/usr/sbin', '/sbin']

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
]

/** Where a program is; null if it is nowhere. */
export function findProgram(name: string, path: string, more: readonly string[] = []): string | null {
  if (name.startsWith('/')) return isExecutable(name) ? name : null
  const folders = [...path.split(delimiter), ...SYSTEM_FOLDERS, ...more].filter((folder) => folder !== '')
  return folders.map((folder) => join(folder, name)).find(isExecutable) ?? null
}

/** Refuses to begin with a system whose programs are not installed. */
export function checkNeeds(system: RealSystem, path: string): void {
  const missing = Object.entries(system.needs).filter(([program]) => findProgram(program, path) === null)
  if (missing.length === 0) return
  throw new UsageError(
    'ERR_WAVETANK_NOT_INSTALLED',
    `wavetank real: ${system.name} needs ${missing.map(([program]) => program).join(', ')}; on Debian, as root: apt-get install -y --no-install-recommends ${[...new Set(missing.map(([, name]) => name))].join(' ')}`,
  )
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK)
    return true
  } catch {
    return false
  }
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
    }
  })
  return [processTable(), await loopback(), ...tools]
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
  }
}

/** The line that installs what is missing, or null. */
export function installLine(findings: readonly Finding[]): string | null {
  const missing = findings.flatMap(({ present, package: name }) => (present || name === null ? [] : [name]))
  return missing.length === 0
    ? null
    : `apt-get install -y --no-install-recommends ${[...new Set(missing)].join(' ')}`
}
