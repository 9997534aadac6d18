/**
 * The tool's own network namespace. Node cannot enter one, so the command starts itself again inside of one that has no
 * name: it ends with its last process. The outer command passes signals and the exit code on; when it dies, the kernel
 * ends the inner one, whose supervisor then cleans up.
 */
import { spawn } from 'node:child_process'
import { constants } from 'node:os'

/** Set in the command that runs inside. */
export const INSIDE = 'WAVETANK_REAL_NAMESPACE'

const PASSED = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/** Runs this command again in a namespace of its own; its exit code. */
export function runInside(): Promise<number> {
  const [node, ...args] = [process.execPath, ...process.execArgv, ...process.argv.slice(1)]
  const words = ['--pdeathsig', 'KILL', 'unshare', '--net', '--', node, ...args]
  const inner = spawn('setpriv', words, { stdio: 'inherit', env: { ...process.env, [INSIDE]: '1' } })
  for (const signal of PASSED) process.on(signal, () => void inner.kill(signal))
  return new Promise((resolve, reject) => {
    inner.once('error', reject)
    inner.once('exit', (code, signal) => resolve(code ?? 128 + constants.signals[signal!]))
  })
}
