/** Facts about the machine: their shapes are compared, and the values that a program may rely on anywhere. */
import { describe } from 'vitest'
import { same } from './parity.ts'

describe('os', () => {
  same('every member has the same type, and constants the same values', (log, require) => {
    const os = require('node:os')
    for (const key of Object.keys(os).sort()) log(key, typeof os[key])
    log(os.constants.signals, os.constants.errno.ENOENT, os.constants.priority, os.constants.dlopen)
    log(os.EOL === '\n', os.devNull, os.platform(), os.type(), os.endianness())
  })

  same('what functions return has the same shape', (log, require) => {
    const os = require('node:os')
    const shape = (value: any): unknown =>
      Array.isArray(value)
        ? value.length > 0 && [shape(value[0])]
        : typeof value === 'object' && value !== null
          ? Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, shape(inner)]))
          : typeof value
    for (const name of ['arch', 'hostname', 'homedir', 'tmpdir', 'release', 'version', 'machine', 'uptime']) {
      log(name, typeof os[name](), `${os[name]()}`.length > 0, os[name]() === os[name]())
    }
    log(shape(os.cpus()), os.cpus().length === os.availableParallelism())
    log(os.loadavg().length, os.totalmem() >= os.freemem(), os.freemem() > 0)
    log(shape(os.userInfo()), shape(os.networkInterfaces().lo))
    log(Object.values(os.userInfo({ encoding: 'buffer' })).map((value) => Buffer.isBuffer(value)))
  })

  same('temporary and home folders follow the environment', (log, require) => {
    const os = require('node:os')
    process.env.TMPDIR = '/var/elsewhere/'
    process.env.HOME = '/home/somebody'
    log(os.tmpdir(), os.homedir())
    delete process.env.TMPDIR
    process.env.TMP = '/tmp2'
    log(os.tmpdir())
    delete process.env.TMP
    process.env.TEMP = '/tmp3/'
    log(os.tmpdir())
    delete process.env.TEMP
    log(os.tmpdir())
  })

  same('priorities, and mistakes', (log, require) => {
    const os = require('node:os')
    log(os.setPriority(15), os.getPriority(), os.getPriority(process.pid))
    for (const call of [() => os.getPriority(-1), () => os.setPriority(100), () => os.getPriority('x')]) {
      try {
        log(call())
      } catch ({ code, message, info }: any) {
        log(code, message, info?.errno)
      }
    }
  })
})
