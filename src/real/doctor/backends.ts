/**
 * What each backend needs of this machine: programs, rights, and what the kernel can do, which is tried in a network
 * namespace without a name. That one ends with the try, so nothing of the machine is changed.
 */
import { spawnSync } from 'node:child_process'
import { BACKENDS, type BackendName } from '../cluster/backends/backend.ts'
import type { Finding } from './finding.ts'
import { findProgram } from './programs.ts'

/** Programs of backends with their Debian packages. */
const PROGRAMS: Readonly<Record<BackendName, Readonly<Record<string, string>>>> = {
  local: {},
  namespaces: {
    ip: 'iproute2',
    ss: 'iproute2',
    nft: 'nftables',
    unshare: 'util-linux',
    nsenter: 'util-linux',
    setpriv: 'util-linux',
  },
  ssh: { ssh: 'openssh-client' },
  docker: { docker: 'docker.io' },
}

/** Everything that the namespaces backend asks of the kernel. */
const TRIAL = `
set -e
ip link add trial type bridge
ip link add trial0 type veth peer name trial1
nft -f - <<'END'
table inet trial {
chain in { type filter hook input priority 0; policy accept;
ip saddr 10.0.0.2 counter drop comment "cut"
ip saddr 10.0.0.2 numgen random mod 1000 < 500 counter drop comment "loss"
ip saddr 10.0.0.2 limit rate over 1000 bytes/second counter drop comment "rate"
}
}
END
nft -j list table inet trial > /dev/null
`

/** Why a backend does not work here, with what to do; null if it does. */
export function missingFor(backend: BackendName, path: string): string | null {
  const missing = missingPrograms(backend, path)
  if (missing.length > 0) {
    const packages = [...new Set(missing.map(([, name]) => name))].join(' ')
    return `this machine lacks ${missing.map(([program]) => program).join(', ')}; on Debian, as root: apt-get install -y --no-install-recommends ${packages}`
  }
  if (backend === 'namespaces') return namespacesMissing()
  if (backend === 'docker') return engineMissing()
  return null
}

function missingPrograms(backend: BackendName, path: string): [program: string, debian: string][] {
  return Object.entries(PROGRAMS[backend]).filter(([program]) => findProgram(program, path) === null)
}

function namespacesMissing(): string | null {
  if (process.getuid?.() !== 0)
    return 'it needs root, for network namespaces; the local backend needs no rights'
  const { status, stderr, error } = spawnSync('unshare', ['--net', '--', 'sh', '-c', TRIAL], {
    encoding: 'utf8',
  })
  if (status === 0) return null
  return `the kernel refuses a bridge, a veth pair or a rule of nft in a namespace of its own: ${(error?.message ?? stderr).trim().split('\n')[0]}`
}

function engineMissing(): string | null {
  for (const [words, what] of [
    [['compose', 'version'], 'docker has no compose plugin'],
    [['info', '--format', '{{.ServerVersion}}'], 'no Docker engine answers'],
  ] as const) {
    const { status, stderr, stdout, error } = spawnSync('docker', words, {
      encoding: 'utf8',
      timeout: 20_000,
    })
    if (status !== 0) return `${what}: ${(error?.message ?? `${stderr}${stdout}`).trim().split('\n')[0]}`
  }
  return null
}

const PURPOSES: Readonly<Record<BackendName, string>> = {
  local: 'nodes on loopback addresses, links through our proxy',
  namespaces: 'nodes in network namespaces, cut by the kernel',
  ssh: 'nodes on machines of your own',
  docker: 'nodes in containers',
}

/** A finding per backend. The local one is judged by what every real test needs. */
export function examineBackends(path: string): Finding[] {
  return BACKENDS.filter((backend) => backend !== 'local').map((backend) => {
    const reason = missingFor(backend, path)
    const [program] = missingPrograms(backend, path)
    return {
      name: `--backend ${backend}`,
      present: reason === null,
      purpose: PURPOSES[backend],
      package: program?.[1] ?? null,
      detail: reason ?? 'works here',
      required: false,
      part: 'backend',
    }
  })
}
