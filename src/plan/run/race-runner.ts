/** Runs a race of the project by `wavetank plan race`, in a process of its own; that command writes the evidence. */
import { join } from 'node:path'
import type { BindingRunner } from './binding-runner.ts'
import { evidenceFromCommand } from './command-runner.ts'
import { runCommand } from './command.ts'

export function raceRunner(wavetank: readonly string[]): BindingRunner {
  return async (request) => {
    const { binding, budget, artefacts, logFile, root, timeoutMs, onOutput } = request
    const file = join(artefacts, 'written-evidence.json')
    const outcome = await runCommand({
      command: [
        ...wavetank,
        'plan',
        'race',
        binding.target,
        '--seeds',
        String(budget.seeds),
        '--iterations',
        String(budget.iterations ?? 100),
        '--output',
        file,
      ],
      cwd: root,
      env: { NO_COLOR: '1' },
      logFile,
      timeoutMs,
      ...(onOutput === undefined ? {} : { onOutput }),
    })
    return evidenceFromCommand(request, outcome, file)
  }
}
