/** `os`: the facts of a simulated host. They are the same for every host but its name and addresses. */
import { floor } from '../../kernel/arithmetic.ts'
import { current } from '../process/current.ts'
import { takeInternals, type Binding } from '../library/internals.ts'
import { closed, uvCode } from './binding.ts'
import { USER_ID } from './credentials.ts'

const GIB = 1024 ** 3
const TOTAL_MEMORY_BYTES = 8 * GIB
const FREE_MEMORY_BYTES = 4 * GIB
const CPU_COUNT = 4
const CPU_MHZ = 2_000

export function os(): Binding {
  const priorities = new Map<number, number>()
  return closed('os', {
    getHostname: () => current().placement.host.name,
    getLoadAvg(values: Float64Array) {
      values.fill(0)
    },
    getUptime: () => {
      const { kernel, placement } = current()
      return floor((kernel.now - placement.host.bootedAtUs) / 1e6)
    },
    getTotalMem: () => TOTAL_MEMORY_BYTES,
    getFreeMem: () => FREE_MEMORY_BYTES,
    getAvailableParallelism: () => CPU_COUNT,
    /** Rows of model, speed, and times for user, nice, system, idle and interrupts. */
    getCPUs: () => {
      const idleMs = floor(current().kernel.now / 1000)
      return Array.from({ length: CPU_COUNT }, () => ['simulated', CPU_MHZ, 0, 0, 0, idleMs, 0]).flat()
    },
    /** Rows of name, address, netmask, family, MAC, internal, scope id. */
    getInterfaceAddresses: () => {
      const { address, address6 } = current().placement.host
      const mac = `02:00:${address
        .split('.')
        .map((part) => Number(part).toString(16).padStart(2, '0'))
        .join(':')}`
      return [
        ['lo', '127.0.0.1', '255.0.0.0', 'IPv4', '00:00:00:00:00:00', true, -1],
        ['lo', '::1', 'ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff', 'IPv6', '00:00:00:00:00:00', true, 0],
        ['eth0', address, '255.0.0.0', 'IPv4', mac, false, -1],
        ['eth0', address6, 'ffff:ffff:ffff:ffff::', 'IPv6', mac, false, 0],
      ].flat()
    },
    getHomeDirectory: () => current().object.env.HOME ?? '/home/node',
    getUserInfo(options?: { encoding?: string }) {
      const text = (value: string): unknown =>
        options?.encoding === 'buffer' ? current().modules.require('buffer').Buffer.from(value) : value
      return {
        uid: USER_ID,
        gid: USER_ID,
        username: text('node'),
        homedir: text('/home/node'),
        shell: text('/bin/sh'),
      }
    },
    getPriority(pid: number, context: object) {
      const subject = liveProcess(pid, 'uv_os_getpriority', context)
      return subject === null ? undefined : (priorities.get(subject) ?? 0)
    },
    setPriority(pid: number, priority: number, context: object) {
      const subject = liveProcess(pid, 'uv_os_setpriority', context)
      if (subject === null) return uvCode('ESRCH')
      priorities.set(subject, priority)
      return 0
    },
    /** System, version, release, machine. */
    getOSInformation: () => ['Linux', '#1 SMP wavetank', '6.1.0-wavetank', 'x86_64'],
    isBigEndian: false,
  })
}

/** The pid that is meant, 0 being the caller's own; null, with the error in `context`, when there is no such process. */
function liveProcess(pid: number, syscall: string, context: object): number | null {
  const { placement } = current()
  if (pid === 0 || placement.host.processes.some((process) => process.pid === pid && process.alive))
    return pid === 0 ? placement.pid : pid
  const { getErrorMap } = takeInternals().internalBinding('uv')
  const [code, message] = getErrorMap().get(uvCode('ESRCH'))
  Object.assign(context, { errno: uvCode('ESRCH'), code, message, syscall })
  return null
}
