/** Questions on a terminal, by @clack/prompts, which is loaded when the first one is asked. Ctrl-C ends the command. */
import { UsageError } from '../../kernel/errors.ts'
import type { FoundProgram } from '../../scaffold/project-look.ts'
import { interfaceOf, MODEL_NAMES, type ModelName } from '../../scaffold/simulation-text.ts'

export function isInteractive(): boolean {
  return process.stdin.isTTY && process.stdout.isTTY && process.env.CI === undefined
}

export const askFor = {
  async program(programs: readonly FoundProgram[]): Promise<FoundProgram> {
    if (programs.length === 1) return programs[0]
    const { select } = await import('@clack/prompts')
    const answer = await select({
      message: 'Which program do clients talk to?',
      options: programs.map(({ entry, from }, value) => ({ value, label: entry, hint: from })),
    })
    return programs[Number(answered(answer))]
  },

  async port(): Promise<number> {
    const { text } = await import('@clack/prompts')
    const answer = await text({
      message: 'Which port does it listen on?',
      initialValue: '8080',
      validate: (value) => (/^\d{1,5}$/.test(value ?? '') ? undefined : 'a number such as 8080'),
    })
    return Number(answered(answer))
  },

  async model(): Promise<ModelName> {
    const { select } = await import('@clack/prompts')
    const answer = await select({
      message: 'What is it?',
      options: MODEL_NAMES.map((model) => ({
        value: model as string,
        label: model,
        hint: interfaceOf(model),
      })),
    })
    return answered(answer) as ModelName
  },
}

/** A prompt that was cancelled answers with a symbol. */
function answered(answer: string | number | symbol): string | number {
  if (typeof answer === 'symbol')
    throw new UsageError('ERR_WAVETANK_SCAFFOLD', 'scaffold: nothing was written')
  return answer
}
