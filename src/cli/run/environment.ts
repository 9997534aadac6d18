/**
 * The environment twins of options of `wavetank run`: `WAVETANK_LEVEL`, `WAVETANK_SEED` and `WAVETANK_SEEDS`. A flag wins
 * over its twin, and a twin wins over the configuration. A twin that is empty counts as absent; a value that cannot be
 * meant is refused with the name of its variable.
 */
import { InvalidArgumentError } from 'commander'
import { parseLevel, type LevelName } from '../../faults/levels.ts'
import { UsageError } from '../../kernel/errors.ts'
import { natural, seedRange } from '../arguments.ts'

export interface Environment {
  readonly level?: LevelName
  readonly seed?: number
  readonly seeds?: { readonly first?: number; readonly count: number }
}

type Variables = Readonly<Record<string, string | undefined>>

export function environmentOf(variables: Variables): Environment {
  return {
    ...read(variables, 'level', 'WAVETANK_LEVEL', '--level', parseLevel),
    ...read(variables, 'seed', 'WAVETANK_SEED', '--seed', natural),
    ...read(variables, 'seeds', 'WAVETANK_SEEDS', '--seeds', seedRange),
  }
}

function read<Key extends string, T>(
  variables: Variables,
  key: Key,
  variable: string,
  flag: string,
  readValue: (text: string) => T,
): Partial<Record<Key, T>> {
  const text = variables[variable]?.trim() ?? ''
  if (text === '') return {}
  try {
    return { [key]: readValue(text) } as Record<Key, T>
  } catch (error) {
    if (!(error instanceof InvalidArgumentError) && !(error instanceof UsageError)) throw error
    throw new UsageError(
      'ERR_WAVETANK_ENVIRONMENT',
      `wavetank run: ${variable} is ${JSON.stringify(text)}: ${error.message}; change it, unset it, or give ${flag}`,
      { cause: error },
    )
  }
}
