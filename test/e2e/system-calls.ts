/** What a program does to the real machine, as strace sees it. */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Whether strace is there and may trace. */
export function canTrace(): boolean {
  return spawnSync('strace', ['-f', '-o', '/dev/null', process.execPath, '--version']).status === 0
}

const TRACED =
  'network,openat,open,creat,mkdir,mkdirat,unlink,unlinkat,rename,renameat,renameat2,execve,clone,clone3,fork,vfork,write'

export interface TracedRun {
  readonly stdout: string
  readonly code: number | null
  /** One line per system call, in order. */
  readonly calls: readonly string[]
}

export function trace(args: readonly string[], cwd: string): TracedRun {
  const folder = mkdtempSync(join(tmpdir(), 'wavetank-strace-'))
  const file = join(folder, 'calls')
  const { stdout, status } = spawnSync(
    'strace',
    ['-f', '-s', '4096', '-o', file, '-e', `trace=${TRACED}`, process.execPath, ...args],
    { cwd, encoding: 'utf8' },
  )
  const calls = readFileSync(file, 'utf8').split('\n')
  rmSync(folder, { recursive: true })
  return { stdout, code: status, calls }
}

/** The calls between the lines that a program writes when it begins and when it ends. */
export function between(calls: readonly string[], begin: string, end: string): readonly string[] {
  const first = calls.findIndex((call) => call.includes(begin))
  const last = calls.findIndex((call) => call.includes(end))
  if (first < 0 || last < first)
    throw new Error(`no marks "${begin}" and "${end}" among ${calls.length} calls`)
  return calls.slice(first + 1, last)
}

const NETWORK = /^\d+ +(?:socket|socketpair|connect|bind|listen|accept4?|sendto|sendmsg|recvfrom|recvmsg)\(/
const NAMES = /^\d+ +(?:creat|mkdir|mkdirat|unlink|unlinkat|rename|renameat2?)\(/
const STARTS = /^\d+ +(?:execve|clone3?|v?fork)\(/
const OPEN = /^\d+ +open(?:at)?\((?:AT_FDCWD, )?"([^"]*)", ([A-Z_|]+)/
const WRITING = /O_WRONLY|O_RDWR|O_CREAT|O_TRUNC/

/** The calls that reach the real network, change the real disk, start something, or read a file outside of `folders`. */
export function escapes(calls: readonly string[], folders: readonly string[]): string[] {
  return calls.filter((call) => {
    if (NETWORK.test(call) || NAMES.test(call) || STARTS.test(call)) return true
    const opened = OPEN.exec(call)
    if (opened === null) return false
    const [, path, flags] = opened
    return WRITING.test(flags) || !folders.some((folder) => path === folder || path.startsWith(`${folder}/`))
  })
}
