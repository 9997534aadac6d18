/** `wavetank corpus check`, `prune` and `list`: what is done with the entries that are there. */
import { rmSync } from 'node:fs'
import { readCorpus, type CorpusEntry } from '../../failures/corpus.ts'
import { corpusExitCode, judgeEntry, type CorpusResult } from '../../failures/corpus-verdict.ts'
import { shortPath } from '../../failures/keep.ts'
import { UsageError } from '../../kernel/errors.ts'
import { corpusList, corpusListing, corpusText } from '../../report/campaign/corpus-text.ts'
import { withFailure } from '../failure/open-failure.ts'
import { PLAIN } from '../../report/form/paint.ts'
import { LiveLine, paintFor, write } from '../terminal.ts'
import type { CorpusOptions } from './command.ts'
import { openCorpusFolder } from './folder.ts'

export async function list({ json, output }: CorpusOptions): Promise<number> {
  const entries = readCorpus(await openCorpusFolder())
  write(`${json === true ? printed(corpusListing(entries)) : corpusList(entries)}\n`, output)
  return 0
}

export async function check({ json, output }: CorpusOptions): Promise<number> {
  const results = await checked(readCorpus(await openCorpusFolder()))
  write(json === true ? `${printed(results)}\n` : textOf(results, output), output)
  return corpusExitCode(results)
}

/** Removes stale entries. One that cannot be read stays: version control may have a good one. */
export async function prune({ json, dryRun, output }: CorpusOptions): Promise<number> {
  const entries = readCorpus(await openCorpusFolder())
  const results = await checked(entries)
  const stale = entries.filter((_, i) => results[i].status === 'stale').map(({ file }) => file)
  if (dryRun !== true) for (const file of stale) remove(file)
  const verb = dryRun === true ? 'would remove' : 'removed'
  const removed = stale.map((file) => `${verb} ${shortPath(file)}\n`).join('')
  const data = { removed: dryRun === true ? [] : stale.map(shortPath), results }
  write(json === true ? `${printed(data)}\n` : textOf(results, output) + removed, output)
  return corpusExitCode(results.filter(({ status }) => status !== 'stale'))
}

function remove(file: string): void {
  try {
    rmSync(file)
  } catch (error) {
    const message = `corpus prune: ${shortPath(file)} cannot be removed: ${(error as Error).message}`
    throw new UsageError('ERR_WAVETANK_CORPUS', message, { cause: error })
  }
}

async function checked(entries: readonly CorpusEntry[]): Promise<CorpusResult[]> {
  const live = new LiveLine()
  const results: CorpusResult[] = []
  for (const entry of entries) {
    live.show(`corpus, ${results.length + 1} of ${entries.length}`)
    results.push(await judgeEntry(entry, () => withFailure(entry.file, (failure) => failure.replay())))
  }
  live.clear()
  return results
}

function textOf(results: readonly CorpusResult[], output: string | undefined): string {
  return `${corpusText(results, output === undefined ? paintFor(process.stdout) : PLAIN)}\n`
}

function printed(value: unknown): string {
  return JSON.stringify(value, null, 2)
}
