/**
 * A package program run both ways: as a real process of plain Node, and as a process in a world of its own. The disk of
 * its host shows this folder read-only, packages included.
 */
import { execFile } from 'node:child_process'
import { Buffer } from 'node:buffer' // the global one is the program's while a world runs
import { fileURLToPath } from 'node:url'
import { NodeProgram, NodeThread, projectImage } from '../../src/node/index.ts'
import { World } from '../../src/world/world.ts'

export const FOLDER = fileURLToPath(new URL('.', import.meta.url)).replace(/\/$/, '')

const VIRTUAL_LIMIT_US = 600e6
const REAL_LIMIT_MS = 60_000

/** What a user sees of a run. */
export interface Ending {
  readonly stdout: string
  readonly stderr: string
  readonly code: number | null
}

export interface TankEnding extends Ending {
  /** The hash of all steps. */
  readonly hash: string
}

const ENV = { HOME: '/root', TZ: 'UTC', LANG: 'en_US.UTF-8', NO_COLOR: '1' }

export function underNode(program: string): Promise<Ending> {
  return new Promise((resolve) => {
    const child = execFile(
      process.execPath,
      [`programs/${program}`],
      { cwd: FOLDER, env: { ...ENV, PATH: process.env['PATH']! }, timeout: REAL_LIMIT_MS },
      (_error, stdout, stderr) => resolve({ stdout, stderr: withoutPid(stderr), code: child.exitCode }),
    )
  })
}

/** Native addons that programs may load. */
const ADDONS: Readonly<Record<string, readonly string[]>> = {
  'addons.mjs': ['bcrypt', 'sharp'],
}

export async function inTank(program: string, seed = 1): Promise<TankEnding> {
  const world = new World({ seed })
  const host = world.addHost('tank', {
    disk: { image: [{ at: FOLDER, from: FOLDER, reader: projectImage() }] },
    epochMs: Date.UTC(2026, 0, 1),
  })
  const text = { 1: '', 2: '' }
  const subject = world.addProcess(
    'subject',
    host,
    new NodeProgram({
      entry: `${FOLDER}/programs/${program}`,
      cwd: FOLDER,
      loader: { addons: ADDONS[program] ?? [] },
      env: { ...ENV, PATH: '/usr/local/bin:/usr/bin:/bin' },
      onOutput: ({ fd, bytes }) => {
        text[fd] += Buffer.from(bytes).toString()
      },
    }),
  )
  subject.start()
  const { kernel } = world
  kernel.afterStep.push(() => {
    if (kernel.now > VIRTUAL_LIMIT_US) kernel.stop()
  })
  await NodeThread.get().run(kernel)
  return {
    stdout: text[1],
    stderr: withoutPid(text[2]),
    code: subject.exitStatus?.code ?? null,
    hash: kernel.hash.digest(),
  }
}

/** Warnings begin with the process's number. */
function withoutPid(stderr: string): string {
  return stderr.replaceAll(/^\(node:\d+\)/gm, '(node)')
}
