/** Why a history cannot be put to a model: a function that the model does not know, or an input that it cannot take apart. */
import { FAIL, type History } from '../../history/history.ts'
import { show } from '../../history/value.ts'
import type { Model } from './model.ts'

export function weaknessOf(history: History, model: Model): string | null {
  return unknownFunction(history, model) ?? malformedInput(history, model)
}

function unknownFunction(history: History, model: Model): string | null {
  if (model.functions === undefined) return null
  const known = new Set(model.functions)
  const foreign = history.functions.map((name) => !known.has(name))
  if (!foreign.includes(true)) return null
  for (let i = 0; i < history.length; i++) {
    if (foreign[history.f[i]]) {
      return `the function ${functionName(history, i)} is unknown to the model ${model.name}, which knows ${model.functions.join(', ')}`
    }
  }
  return null
}

/** Inputs from a file may be anything; a model must not be asked about what it cannot take apart. */
function malformedInput(history: History, model: Model): string | null {
  const expected = history.functions.map((name) => model.inputs?.[name] ?? null)
  if (expected.every((one) => one === null)) return null
  for (let i = 0; i < history.length; i++) {
    const shape = expected[history.f[i]]
    // What failed did not happen, and no model sees it.
    if (shape === null || history.type[i] === FAIL || shape.accepts(history.input[i], history.output[i]))
      continue
    return `operation ${history.id[i]}, ${functionName(history, i)}, needs ${shape.needs}, and has ${show(history.input[i], 40)}`
  }
  return null
}

/** A file may have functions with endless names. */
function functionName(history: History, position: number): string {
  const name = history.functions[history.f[position]]
  return name.length > 40 ? `${name.slice(0, 39)}…` : name
}
