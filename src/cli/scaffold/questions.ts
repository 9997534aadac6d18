/** Questions on a terminal, by @clack/prompts, which is loaded when the first one is asked. Ctrl-C ends the command. */
import type { Readable, Writable } from 'node:stream'
import { UsageError } from '../../kernel/errors.ts'
import type { FoundProgram } from '../../scaffold/found-program.ts'
import type { Resource } from '../../scaffold/resource.ts'
import { interfaceOf, MODEL_NAMES, type ModelName } from '../../scaffold/simulation-text.ts'

/** The terminal that is asked; tests bring their own. */
export interface Terminal {
  readonly input?: Readable
  readonly output?: Writable
}

/** Asks only where a person can answer: on a terminal, outside CI, and without `--yes`. */
export function questionsFor({ yes }: { readonly yes?: boolean }): Questions | null {
  const canAnswer = process.stdin.isTTY && process.stdout.isTTY && process.env.CI === undefined
  return canAnswer && yes !== true ? new Questions() : null
}

export class Questions {
  private readonly terminal: Terminal

  constructor(terminal: Terminal = {}) {
    this.terminal = terminal
  }

  async program(programs: readonly FoundProgram[]): Promise<FoundProgram> {
    const options = programs.map(({ name, entry, from }, value) => ({
      value: String(value),
      label: `${name}: ${entry}`,
      hint: from,
    }))
    return programs[Number(await this.choose('Which program do clients talk to?', options))]
  }

  async port(): Promise<number> {
    const { text } = await import('@clack/prompts')
    const answer = await text({
      ...this.terminal,
      message: 'Which port does it listen on?',
      initialValue: '8080',
      validate: (value) => (isPort(value ?? '') ? undefined : 'a number of 1 to 65535, such as 8080'),
    })
    return Number(answered(answer))
  }

  /** `resource` is what the program's source shows; a register is proposed if there is one. */
  async model(resource: Resource | null): Promise<ModelName> {
    const options = MODEL_NAMES.map((value) => ({
      value: value as string,
      label: value,
      hint: interfaceOf(value, resource),
    }))
    const proposed = resource === null ? 'health' : 'register'
    return (await this.choose('What is it, and so what is checked?', options, proposed)) as ModelName
  }

  async workload(names: readonly string[]): Promise<string> {
    const options = names.map((value) => ({ value, label: value, hint: '' }))
    return this.choose('Which of Maelstrom’s workloads is the node for?', options)
  }

  private async choose(
    message: string,
    options: { value: string; label: string; hint: string }[],
    initialValue?: string,
  ): Promise<string> {
    const { select } = await import('@clack/prompts')
    return answered(await select({ ...this.terminal, message, options, initialValue }))
  }
}

function isPort(text: string): boolean {
  return /^\d{1,5}$/.test(text) && Number(text) >= 1 && Number(text) <= 65_535
}

/** A prompt that was cancelled answers with a symbol. */
function answered(answer: string | symbol): string {
  if (typeof answer === 'symbol')
    throw new UsageError('ERR_WAVETANK_SCAFFOLD', 'scaffold: nothing was written')
  return answer
}
