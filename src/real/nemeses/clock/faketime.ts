/**
 * The library that shows a program another wall clock (Debian's `faketime`), and which programs it cannot deceive. A node
 * loads it at its start and reads a file at every look at the clock, so that the clock can be changed while it runs. The
 * clock of the machine is never set, and monotonic time stays right.
 */
import { spawnSync } from 'node:child_process'
import {
  closeSync,
  existsSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  renameSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { UsageError } from '../../../kernel/errors.ts'
import type { RealNode } from '../../cluster/cluster.ts'
import type { Launch } from '../../cluster/node-process.ts'
import { findProgram } from '../../doctor/programs.ts'
import { CLOCK_EVERY } from '../../entry/preload.ts'

const LIBRARY = 'libfaketimeMT.so.1'
const PROBE_MS = 5000
const REPORT_MS = '50'

/** Null if the library is not installed. */
export function fakeTimeLibrary(): string | null {
  const roots = ['/usr/lib', '/usr/lib64', '/usr/local/lib']
  const folders = roots
    .filter(existsSync)
    .flatMap((root) => [root, ...readdirSync(root).map((name) => join(root, name))])
  return folders.map((folder) => join(folder, 'faketime', LIBRARY)).find(existsSync) ?? null
}

/** The file that says how far a node's clock is off. */
function clockFile({ disk }: RealNode): string {
  return join(dirname(disk), 'clock')
}

/** From the next start on, a node shows the clock that {@link setClock} says. */
export function fakeClock(node: RealNode, library: string, path: string): void {
  if (node.launchChanges.some(({ name }) => name === withFakeClock.name)) return
  node.launchChanges.push(withFakeClock)
  const { system } = node.placement.definition

  function withFakeClock(launch: Launch): Launch {
    const file = findProgram(launch.command, path)
    const environment = {
      LD_PRELOAD: [launch.env.LD_PRELOAD, library].filter(Boolean).join(' '),
      FAKETIME_TIMESTAMP_FILE: clockFile(node),
      FAKETIME_NO_CACHE: '1',
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
    }
    if (!existsSync(clockFile(node))) setClock(node, 0)
    const reason = file === null ? null : clockRefusal(file, environment)
    if (reason !== null) {
      throw new UsageError(
        'ERR_WAVETANK_NEMESIS',
        `wavetank real: clock faults do not work on ${system?.name ?? node.name}: ${reason}`,
      )
    }
    return { ...launch, env: { ...launch.env, ...environment, [CLOCK_EVERY]: REPORT_MS } }
  }
}

/** Sets how far the clock of a node is off, from its next look on. */
export function setClock(node: RealNode, offsetMs: number): void {
  const file = clockFile(node)
  const sign = offsetMs < 0 ? '-' : '+'
  // The name changes at once: a reader that met a half-written file would see the right time for a moment.
  writeFileSync(`${file}.new`, `${sign}${(Math.abs(offsetMs) / 1000).toFixed(6)}\n`)
  renameSync(`${file}.new`, file)
}

const judged = new Map<string, string | null>()

/** Why a program does not follow the library; null if nothing speaks against it. */
export function clockRefusal(file: string, environment: Readonly<Record<string, string>>): string | null {
  if (!judged.has(file)) judged.set(file, refusalOf(file, environment))
  return judged.get(file)!
}

function refusalOf(file: string, environment: Readonly<Record<string, string>>): string | null {
  const name = basename(file)
  if (isGo(file)) return `${name} is written in Go, which asks the kernel for the time and not the C library`
  if (isStatic(file))
    return `${name} is linked statically, so it loads no library that could show another time`
  if (startsWith(file, {}) && !startsWith(file, environment)) {
    return `${name} does not run with libfaketime: \`${name} --version\` fails or hangs`
  }
  return null
}

function startsWith(file: string, environment: Readonly<Record<string, string>>): boolean {
  const env = { PATH: process.env.PATH, ...environment }
  const { status } = spawnSync(file, ['--version'], {
    env,
    timeout: PROBE_MS,
    killSignal: 'SIGKILL',
    stdio: 'ignore',
  })
  return status === 0
}

/** Go's linker writes an id of the build into the first pages of a program. */
function isGo(file: string): boolean {
  const head = Buffer.alloc(64 << 10)
  const descriptor = openSync(file, 'r')
  try {
    const length = readSync(descriptor, head, 0, head.length, 0)
    return (
      head.subarray(0, length).includes('Go build ID') ||
      head.subarray(0, length).includes('.note.go.buildid')
    )
  } finally {
    closeSync(descriptor)
  }
}

const ELF = Buffer.from('\u007fELF', 'latin1')
const INTERPRETER = 3

/** A program of Linux that names no loader among its program headers. */
function isStatic(file: string): boolean {
  const bytes = readFileSync(file)
  if (!bytes.subarray(0, 4).equals(ELF) || bytes[4] !== 2 || bytes[5] !== 1) return false
  const [at, size, count] = [
    Number(bytes.readBigUInt64LE(32)),
    bytes.readUInt16LE(54),
    bytes.readUInt16LE(56),
  ]
  for (let i = 0; i < count; i++) if (bytes.readUInt32LE(at + i * size) === INTERPRETER) return false
  return true
}
