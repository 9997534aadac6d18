/**
 * Contracts that hold on both arms: the same program runs under plain Node and as a process in the tank, and must say
 * the same and end the same. A program is a function whose text becomes a CommonJS file, so it sees only what it requires
 * and its `log`; what it logs must not depend on how fast time passes, on ports or on numbers of processes.
 */
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, it } from 'vitest'
import { NodeProgram, NodeThread, projectImage } from '../../src/node/index.ts'
import { World } from '../../src/world/world.ts'

export type Log = (...values: unknown[]) => void
export type Program = (log: Log, require: (id: string) => any) => unknown

/** What a process said and how it ended. */
export interface Outcome {
  readonly lines: readonly string[]
  readonly code: number | null
  readonly signal: string | null
}

/** A process that is ready for others when it logs this. */
export const READY = 'ready'

/** Hosts get addresses in the order in which they are added. */
const SERVER_ADDRESS = '10.0.0.1'
const VIRTUAL_LIMIT_US = 600e6

/** The file of a program. Values are logged as `util.inspect` shows them, one line per call. */
function fileOf(program: Program): string {
  return `const { inspect } = require('node:util')
const log = (...values) => console.log(values.map((value) => typeof value === 'string' ? value : inspect(value, { breakLength: Infinity, depth: 4 })).join(' '));
(${program.toString()})(log, require)
`
}

/** A contract of one process, whose working directory has its file and those given, and nothing else. */
export function same(
  title: string,
  program: Program,
  files: Readonly<Record<string, string>> = {},
  flags: readonly string[] = [],
): void {
  it(title, () =>
    inFolders({ ...files, 'program.cjs': fileOf(program) }, async (folder, image) => {
      const entry = join(folder, 'program.cjs')
      const [real, tank] = await Promise.all([
        underNode(entry, {}, flags).ended,
        inTank(folder, image, { only: entry }, {}, flags),
      ])
      expect(tank.only).toEqual(real)
      expect(real.lines.length, 'a contract must say something').toBeGreaterThan(0)
    }),
  )
}

/**
 * A contract of a server and a client, in the tank on two hosts. The server listens on `process.env.PORT` and logs
 * {@link READY}; the client then finds it at `process.env.SERVER`.
 */
export function sameBetween(
  title: string,
  programs: { readonly server: Program; readonly client: Program },
): void {
  const files = { 'server.cjs': fileOf(programs.server), 'client.cjs': fileOf(programs.client) }
  it(title, () =>
    inFolders(files, async (folder, image) => {
      const entries = { server: join(folder, 'server.cjs'), client: join(folder, 'client.cjs') }
      const PORT = String(await freePort())
      const server = underNode(entries.server, { PORT })
      await server.ready
      const client = underNode(entries.client, { PORT, SERVER: '127.0.0.1' })
      const real = { server: await server.ended, client: await client.ended }
      expect(await inTank(folder, image, entries, { PORT, SERVER: SERVER_ADDRESS })).toEqual(real)
    }),
  )
}

/** Two folders with the same files: one to work in, and one that the tank shows under the other's path. */
async function inFolders(
  files: Readonly<Record<string, string>>,
  body: (folder: string, image: string) => Promise<void>,
): Promise<void> {
  const folders = [0, 1].map(() => mkdtempSync(join(tmpdir(), 'wavetank-parity-')))
  try {
    for (const folder of folders) {
      for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
    }
    await body(folders[0], folders[1])
  } finally {
    for (const folder of folders) rmSync(folder, { recursive: true })
  }
}

function underNode(
  entry: string,
  env: Record<string, string>,
  flags: readonly string[] = [],
): { ready: Promise<void>; ended: Promise<Outcome> } {
  const child = spawn(process.execPath, ['--no-warnings', ...flags, entry], {
    cwd: dirname(entry),
    env: { PATH: process.env.PATH, TZ: 'UTC', ...env },
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  let output = ''
  const ready = new Promise<void>((resolve) => {
    child.stdout.on('data', (chunk: Buffer) => {
      output += chunk.toString()
      if (output.includes(`${READY}\n`)) resolve()
    })
    child.on('close', () => resolve())
  })
  const ended = new Promise<Outcome>((resolve) => {
    child.on('close', (code, signal) => resolve({ lines: linesOf(output), code, signal }))
  })
  return { ready, ended }
}

async function inTank<Name extends string>(
  folder: string,
  image: string,
  entries: Readonly<Record<Name, string>>,
  env: Record<string, string>,
  flags: readonly string[] = [],
): Promise<Record<Name, Outcome>> {
  const world = new World({ seed: 1 })
  const names = Object.keys(entries) as Name[]
  const outputs = new Map<Name, string>(names.map((name) => [name, '']))
  const processes = names.map((name) => {
    const host = world.addHost(name, {
      disk: { image: [{ at: folder, from: image, reader: projectImage() }] },
    })
    const program = new NodeProgram({
      entry: entries[name],
      cwd: folder,
      execArgv: ['--no-warnings', ...flags],
      env: { PATH: '/usr/bin', TZ: 'UTC', ...env },
      onOutput: ({ fd, bytes }) => {
        if (fd === 1) outputs.set(name, outputs.get(name)! + Buffer.from(bytes).toString())
      },
    })
    return world.addProcess(name, host, program)
  })
  const waiting = [...processes]
  waiting.shift()!.start()
  world.kernel.afterStep.push(() => {
    if (waiting.length > 0 && outputs.get(names[0])!.includes(`${READY}\n`)) waiting.shift()!.start()
    if (world.kernel.now > VIRTUAL_LIMIT_US || processes.every(({ state }) => state === 'exited'))
      world.kernel.stop()
  })
  await NodeThread.get().run(world.kernel)
  const outcome = (name: Name, i: number): Outcome => ({
    lines: linesOf(outputs.get(name)!),
    code: processes[i].exitStatus?.code ?? null,
    signal: processes[i].exitStatus?.signal ?? null,
  })
  return Object.fromEntries(names.map((name, i) => [name, outcome(name, i)])) as Record<Name, Outcome>
}

function linesOf(output: string): string[] {
  return output.split('\n').slice(0, -1)
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer()
    server.on('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number }
      server.close(() => resolve(port))
    })
  })
}
