/**
 * A user's own model on the command line: `--model ./max-register.ts`. The file's default export is a model, or a
 * function that takes the options of `--options` and returns one.
 */
import { resolve } from 'node:path'
import type { GivenOptions } from '../../checkers/catalogue.ts'
import type { AnyModel } from '../../checkers/linearizable/model.ts'
import { evaluateModule } from '../../host/evaluate-module.ts'
import { UsageError } from '../../kernel/errors.ts'

/** Whether a `--model` names a file: it has a separator, or it ends like a program. */
export function isModelFile(name: string): boolean {
  return /[/\\]/.test(name) || /\.[cm]?[jt]s$/.test(name)
}

export async function loadOwnModel(path: string, options: GivenOptions): Promise<AnyModel> {
  const file = resolve(path)
  const { default: exported } = await evaluateModule(file, 'ERR_WAVETANK_MODEL')
  const model: unknown =
    typeof exported === 'function' ? (exported as (given: GivenOptions) => unknown)(options) : exported
  const { name, init, step } = Object(model) as { name?: unknown; init?: unknown; step?: unknown }
  if (typeof name === 'string' && typeof init === 'function' && typeof step === 'function') {
    if (typeof exported === 'function' || Object.keys(options).length === 0) return model as AnyModel
    throw new UsageError(
      'ERR_WAVETANK_MODEL',
      `${path}: the default export is a model, which takes no options; export a function that returns one`,
    )
  }
  throw new UsageError(
    'ERR_WAVETANK_MODEL',
    `${path}: expected a default export with name, init() and step(state, operation), or a function that returns one`,
  )
}
