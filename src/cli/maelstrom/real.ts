/** A Maelstrom test with real processes. A signal that ends the command ends every node first. */
import { tmpdir } from 'node:os'
import { seededDecisions } from '../../maelstrom/decisions.ts'
import { runningMachine } from '../../maelstrom/machine.ts'
import type { TestSettings } from '../../maelstrom/running/settings.ts'
import { runTest } from '../../maelstrom/running/test.ts'
import { printable } from '../../report/printable.ts'
import { againCommand, conclude, drawSeed, watched } from './outcome.ts'
import type { MaelstromOptions } from './command.ts'

const SIGNALS: Readonly<Partial<Record<NodeJS.Signals, number>>> = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 }

export async function testForReal(
  settings: TestSettings,
  options: MaelstromOptions,
  args: readonly string[],
): Promise<number> {
  for (let test = 0; test < options.testCount; test++) {
    const seed = (options.seed ?? drawSeed()) + (options.seed === undefined ? 0 : test)
    const code = await oneTest(settings, options, args, seed)
    if (code !== 0) return code
  }
  return 0
}

async function oneTest(
  settings: TestSettings,
  options: MaelstromOptions,
  args: readonly string[],
  seed: number,
): Promise<number> {
  const logs = new Map<string, string[]>(settings.nodes.map((node) => [node, []]))
  const say = (text: string): void => void process.stderr.write(`${printable(text)}\n`)
  const { onLog: shown, ...watchers } = watched(options, say)
  let disarm = (): void => {}
  try {
    const run = await runTest(
      settings,
      runningMachine({ groups: true, cwd: tmpdir() }),
      seededDecisions(seed),
      {
        onPhase: (phase) => say(`${phase}…`),
        onCluster: (stop) => (disarm = endWithNodes(stop)),
        onLog(node, line) {
          logs.get(node)!.push(line)
          shown?.(node, line)
        },
        ...watchers,
      },
    )
    return conclude(options.store, settings, { ...run, logs }, againCommand(args, seed))
  } finally {
    disarm()
  }
}

/** Ends the nodes before the command ends, however it does; returns how to stop that. */
function endWithNodes(stop: () => Promise<void>): () => void {
  const atExit = (): void => void stop()
  const handlers = Object.entries(SIGNALS).map(([signal, code]) => {
    const handler = (): void => void stop().then(() => process.exit(code))
    process.once(signal, handler)
    return [signal, handler] as const
  })
  process.once('exit', atExit)
  return () => {
    process.off('exit', atExit)
    for (const [signal, handler] of handlers) process.off(signal, handler)
  }
}
