/**
 * Rewritten sources of Node's library (see rewriting.ts), kept from one run to the next: a thread's first process
 * needs dozens of them, and to read and rewrite these would be half of its boot.
 */
import { createHash } from 'node:crypto'
import { version as acornVersion } from 'acorn'
import fs from 'node:fs'
import { asHost } from '../../process/current.ts'
import { KeptResults } from '../kept-results.ts'
import { variablesIn, type PartingOptions } from './analysis.ts'
import { detachSource, partSource, REWRITING_FILES, type PartedSource } from './rewriting.ts'

/** The result of rewriting a source, with the answers about other modules that it depends on. */
interface Kept<T> {
  readonly result: T
  readonly asked: readonly (readonly [id: string, answer: readonly string[] | 'all'])[]
}

const { readFileSync } = fs
const kept = new KeptResults<Kept<any>>('library', isKept)
let rewriter: string | undefined

/** The name of the rewriting in use: sources that another one made are not found. */
function nameOfRewriter(): string {
  if (rewriter === undefined) {
    const hash = createHash('sha256')
    for (const file of REWRITING_FILES) hash.update(readFileSync(file)).update('\0')
    rewriter = hash.digest('hex') + acornVersion
  }
  return rewriter
}

export function partedSourceOf(source: string, options: PartingOptions): PartedSource {
  return rewritten('part', source, options, (asking) => partSource(source, asking))
}

/** The variables of a source's top level that every process has of its own. */
export function variablesOfSource(source: string, options: PartingOptions): readonly string[] {
  return rewritten('variables', source, options, (asking) => variablesIn(source, asking))
}

export function detachedSourceOf(source: string, parameters: readonly string[]): PartedSource {
  const form = `detach ${parameters.join()}`
  return rewritten(form, source, { variablesOf: () => [] }, () => detachSource(source, parameters))
}

function rewritten<T>(
  form: string,
  source: string,
  { variablesOf, tables = [] }: PartingOptions,
  make: (options: PartingOptions) => T,
): T {
  const made = (): Kept<T> => {
    const asked = new Map<string, readonly string[] | 'all'>()
    const asking = (id: string): readonly string[] | 'all' => {
      const answer = variablesOf(id)
      asked.set(id, answer)
      return answer
    }
    return { result: make({ variablesOf: asking, tables }), asked: [...asked] }
  }
  const isAnswer = ([id, answer]: Kept<T>['asked'][number]): boolean =>
    JSON.stringify(variablesOf(id)) === JSON.stringify(answer)
  return asHost(() =>
    kept.get([nameOfRewriter(), form, ...tables, source], made, ({ asked }) => asked.every(isAnswer)),
  ).result as T
}

function isKept(value: any): boolean {
  return value !== null && typeof value === 'object' && 'result' in value && Array.isArray(value.asked)
}
