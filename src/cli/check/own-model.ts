/**
 * A user's own model on the command line: `--model ./max-register.ts`. The file's default export is a model, or a
 * function that takes the options of `--options` and returns one.
 */
import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import type { GivenOptions } from '../../checkers/catalogue.ts'
import type { AnyModel } from '../../checkers/linearizable/model.ts'
import { evaluateModule } from '../../host/evaluate-module.ts'
import { show } from '../../history/value.ts'
import { UsageError } from '../../kernel/errors.ts'

/** Whether a `--model` names a file: it has a separator, or it ends like a program. */
export function isModelFile(name: string): boolean {
  return /[/\\]/.test(name) || /\.[cm]?[jt]s$/.test(name)
}

export async function loadOwnModel(path: string, options: GivenOptions): Promise<AnyModel> {
  const file = resolve(path)
  if (!existsSync(file)) throw new UsageError('ERR_WAVETANK_MODEL', `--model: ${path} does not exist`)
  const { default: exported } = await evaluateModule(file, 'ERR_WAVETANK_MODEL')
  const model: unknown =
    typeof exported === 'function' ? (exported as (given: GivenOptions) => unknown)(options) : exported
  const { name, init, step } = Object(model) as { name?: unknown; init?: unknown; step?: unknown }
  if (typeof name === 'string' && typeof init === 'function' && typeof step === 'function') {
    if (typeof exported === 'function' || Object.keys(options).length === 0)
      return blamed(path, model as AnyModel)
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

/** The model; what one of its functions throws is a mistake of the user's, and the error says in which call. */
function blamed(path: string, model: AnyModel): AnyModel {
  const call = <T>(where: () => string, body: () => T): T => {
    try {
      return body()
    } catch (error) {
      const [line] = String(error).split('\n', 1)
      throw new UsageError('ERR_WAVETANK_MODEL', `${path}: ${where()} threw ${line}`, { cause: error })
    }
  }
  const { equal, hash, describe } = model
  const own: Partial<AnyModel> = {
    init: () =>
      call(
        () => 'init()',
        () => model.init(),
      ),
    step: (state, operation) => {
      const where = (): string => {
        const { id, f, type } = operation
        return `step(${show(state, 60)}, operation ${id}, ${f}, ${type})`
      }
      const next = call(where, () => model.step(state, operation))
      if (next !== undefined) return next
      throw new UsageError(
        'ERR_WAVETANK_MODEL',
        `${path}: ${where()} returned undefined; it must return the next state, or ILLEGAL`,
      )
    },
    ...(equal && {
      equal: (a, b) =>
        call(
          () => `equal(${show(a, 60)}, ${show(b, 60)})`,
          () => equal.call(model, a, b),
        ),
    }),
    ...(hash && {
      hash: (state) =>
        call(
          () => `hash(${show(state, 60)})`,
          () => hash.call(model, state),
        ),
    }),
    ...(describe && {
      describe: (state) =>
        call(
          () => `describe(${show(state, 60)})`,
          () => describe.call(model, state),
        ),
    }),
  }
  return Object.assign(Object.create(model) as AnyModel, own)
}
