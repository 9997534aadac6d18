/**
 * The kernel's freezer: a control group (version 2) whose processes the kernel does not run. No signal is involved, so
 * neither the program nor its parent can see that it stood still, as they can with SIGSTOP. A frozen process can be
 * killed, so nothing needs to be thawed before it is cleaned away.
 */
import {
  accessSync,
  constants,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'

/** Where control groups of version 2 are mounted; null if they are not. */
export function groupRoot(mounts = readFileSync('/proc/mounts', 'utf8')): string | null {
  const found = mounts.split('\n').find((line) => line.split(' ')[2] === 'cgroup2')
  return found?.split(' ')[1] ?? null
}

/** Why nothing can be frozen here; null if it can. */
export function freezerRefusal(root = groupRoot()): string | null {
  if (root === null) return 'control groups of version 2 are not mounted here'
  try {
    accessSync(join(root, 'cgroup.procs'), constants.W_OK)
    return null
  } catch {
    return `${root} is not writable: only root may make control groups`
  }
}

export class FrozenGroup {
  readonly path: string
  /** The groups of its processes before. */
  readonly #homes = new Map<number, string>()

  constructor(path: string) {
    this.path = path
  }

  /** Makes the group and moves processes into it; those that have ended are left out. */
  take(root: string, pids: readonly number[]): void {
    mkdirSync(this.path)
    for (const pid of pids) {
      try {
        const home = /^0::(.*)$/m.exec(readFileSync(`/proc/${pid}/cgroup`, 'utf8'))![1]
        writeFileSync(join(this.path, 'cgroup.procs'), String(pid))
        this.#homes.set(pid, join(root, home))
      } catch {
        // It has ended.
      }
    }
    writeFileSync(join(this.path, 'cgroup.freeze'), '1')
  }

  /** Whether the kernel says that nothing in the group runs. */
  get isFrozen(): boolean {
    return /^frozen 1$/m.test(this.#read('cgroup.events'))
  }

  get pids(): number[] {
    return this.#read('cgroup.procs').split('\n').filter(Boolean).map(Number)
  }

  /** Thaws the group, gives its processes back to their own groups and removes it. */
  release(): void {
    writeFileSync(join(this.path, 'cgroup.freeze'), '0')
    for (const pid of this.pids) {
      // What a process has started meanwhile goes with the others.
      const home = this.#homes.get(pid) ?? [...this.#homes.values()][0]
      try {
        writeFileSync(join(home, 'cgroup.procs'), String(pid))
      } catch {
        // It has ended.
      }
    }
    rmdirSync(this.path)
  }

  #read(name: string): string {
    return readFileSync(join(this.path, name), 'utf8')
  }
}

/** How long all threads of a process have run, in nanoseconds; 0 if it is gone or the kernel does not say. */
export function ranNs(pid: number): number {
  try {
    return readdirSync(`/proc/${pid}/task`)
      .map((task) => Number(readFileSync(`/proc/${pid}/task/${task}/schedstat`, 'latin1').split(' ')[0]))
      .reduce((sum, ns) => sum + ns, 0)
  } catch {
    return 0
  }
}
