/** Runs the same programs as real processes on loopback, and measures them between the same lines. */
import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { read, type Reading } from './measurement.ts'
import { ROOT } from './tank-run.ts'

const FOLDER = `${ROOT}/bench/tank`

function start(program: string, env: Readonly<Record<string, string>>): ChildProcess {
  return fork(`${FOLDER}/programs/${program}`, {
    env: { ...process.env, ...env },
    execArgv: ['--require', `${FOLDER}/programs/usage.cjs`],
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  })
}

async function cpuMs(children: readonly ChildProcess[]): Promise<number> {
  const usages = children.map(async (child) => {
    const answer = once(child, 'message')
    child.send('usage')
    const [{ user, system }] = (await answer) as [NodeJS.CpuUsage]
    return (user + system) / 1_000
  })
  return (await Promise.all(usages)).reduce((sum, each) => sum + each, 0)
}

/** The server's port is its own choice of the machine's; `SERVER` is loopback. */
export async function runReal(
  server: { readonly program: string; readonly env?: Readonly<Record<string, string>> },
  client: { readonly program: string; readonly env?: Readonly<Record<string, string>> },
): Promise<Reading> {
  const PORT = String(20_000 + (process.pid % 20_000))
  const first = start(server.program, { ...server.env, PORT })
  const children = [first]
  try {
    await once(createInterface(first.stdout!), 'line')
    const second = start(client.program, { ...client.env, PORT, SERVER: '127.0.0.1' })
    children.push(second)
    let begun: { readonly cpuMs: Promise<number>; readonly wallMs: number } | null = null
    for await (const line of createInterface(second.stdout!)) {
      const { wallMs } = read()
      if (line === 'start') begun = { cpuMs: cpuMs(children), wallMs }
      if (line === 'done') {
        return { wallMs: wallMs - begun!.wallMs, cpuMs: (await cpuMs(children)) - (await begun!.cpuMs) }
      }
    }
    throw new Error(`${client.program} ended before its work was done`)
  } finally {
    for (const child of children) child.kill('SIGKILL')
  }
}
