/**
 * A Maelstrom test with real processes. A signal that ends the command ends every node first, and what happened so far
 * is reported and stored.
 */
import { tmpdir } from 'node:os'
import { bundledProgram, type BundledProgram } from '../../host/bundled-program.ts'
import { seededDecisions } from '../../maelstrom/decisions.ts'
import { runningMachine } from '../../maelstrom/machine.ts'
import { NodeLogs } from '../../maelstrom/running/node-logs.ts'
import type { TestSettings } from '../../maelstrom/running/settings.ts'
import { runTest, type RunningTest, type TestRun } from '../../maelstrom/running/test.ts'
import { printable } from '../../report/form/printable.ts'
import { againCommand, conclude, drawSeed, factsOf } from './outcome.ts'
import type { MaelstromOptions } from './command.ts'
import { watched } from '../../maelstrom/watched.ts'

const SIGNALS: Readonly<Partial<Record<NodeJS.Signals, number>>> = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 }
const TYPESCRIPT = /\.[cm]?ts$/

export async function testForReal(
  settings: TestSettings,
  options: MaelstromOptions,
  args: readonly string[],
): Promise<number> {
  const [file, ...rest] = settings.program.args
  let bundled: BundledProgram | null = null
  if (settings.program.command === process.execPath && TYPESCRIPT.test(file))
    bundled = await bundledProgram(file)
  const remove = (): void => bundled?.remove()
  process.once('exit', remove)
  const runnable =
    bundled === null
      ? settings
      : {
          ...settings,
          program: {
            command: process.execPath,
            args: ['--enable-source-maps', bundled.file, ...rest],
          },
        }
  try {
    for (let test = 0; test < options.testCount; test++) {
      const seed = (options.seed ?? drawSeed()) + (options.seed === undefined ? 0 : test)
      const code = await oneTest(runnable, options, args, seed)
      if (code !== 0) return code
    }
    return 0
  } finally {
    process.off('exit', remove)
    remove()
  }
}

async function oneTest(
  settings: TestSettings,
  options: MaelstromOptions,
  args: readonly string[],
  seed: number,
): Promise<number> {
  const logs = new NodeLogs(settings.nodes)
  const say = (text: string): void => void process.stderr.write(`${printable(text)}\n`)
  const { onLog: shown, ...watchers } = watched(options, say)
  const report = (run: TestRun): number =>
    conclude(
      options.store,
      settings,
      factsOf(settings, seed, 'monotonic'),
      { ...run, logs: logs.all() },
      againCommand(args, seed),
    )
  let disarm = (): void => {}
  try {
    const run = await runTest(
      settings,
      runningMachine({ groups: true, cwd: tmpdir() }),
      seededDecisions(seed),
      {
        onPhase: (phase) => say(`${phase}…`),
        onStart: (test) => (disarm = endWithNodes(test, report)),
        onLog(node, line) {
          logs.add(node, line)
          shown?.(node, line)
        },
        ...watchers,
      },
    )
    return report(run)
  } finally {
    disarm()
  }
}

/** Ends the nodes before the command ends, however it does; returns how to stop that. */
function endWithNodes(test: RunningTest, report: (run: TestRun) => number): () => void {
  const atExit = (): void => void test.stop()
  const handlers = Object.entries(SIGNALS).map(([signal, code]) => {
    const handler = async (): Promise<void> => {
      await test.stop()
      report(test.soFar())
      process.exit(code)
    }
    const once = (): void => void handler()
    process.once(signal, once)
    return [signal, once] as const
  })
  process.once('exit', atExit)
  return () => {
    process.off('exit', atExit)
    for (const [signal, handler] of handlers) process.off(signal, handler)
  }
}
