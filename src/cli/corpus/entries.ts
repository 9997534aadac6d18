/** `wavetank corpus check`, `prune` and `list`: what is done with the entries that are there. */
import { rmSync } from 'node:fs'
import { readCorpus, type CorpusEntry } from '../../failures/corpus.ts'
import { corpusExitCode, judgeEntry, type CorpusResult } from '../../failures/corpus-verdict.ts'
import { shortPath } from '../../failures/keep.ts'
import { UsageError } from '../../kernel/errors.ts'
import { corpusList, corpusListing, corpusText } from '../../report/corpus-text.ts'
import { withFailure } from '../failure/open-failure.ts'
import { LiveLine, paintFor } from '../terminal.ts'
import type { CorpusOptions } from './command.ts'
import { openCorpusFolder } from './folder.ts'

export async function list({ json }: CorpusOptions): Promise<number> {
  const entries = readCorpus(await openCorpusFolder())
  process.stdout.write(`${json === true ? printed(corpusListing(entries)) : corpusList(entries)}\n`)
  return 0
}

export async function check({ json }: CorpusOptions): Promise<number> {
  const results = await checked(readCorpus(await openCorpusFolder()))
  show(results, json)
  return corpusExitCode(results)
}

/** Removes stale entries. One that cannot be read stays: version control may have a good one. */
export async function prune({ json, dryRun }: CorpusOptions): Promise<number> {
  const entries = readCorpus(await openCorpusFolder())
  const results = await checked(entries)
  const stale = entries.filter((_, i) => results[i].status === 'stale').map(({ file }) => file)
  if (dryRun !== true) for (const file of stale) remove(file)
  if (json === true) {
    process.stdout.write(`${printed({ removed: dryRun === true ? [] : stale.map(shortPath), results })}\n`)
  } else {
    show(results, json)
    const verb = dryRun === true ? 'would remove' : 'removed'
    for (const file of stale) process.stdout.write(`${verb} ${shortPath(file)}\n`)
  }
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

function show(results: readonly CorpusResult[], json: boolean | undefined): void {
  const text = json === true ? printed(results) : corpusText(results, paintFor(process.stdout))
  process.stdout.write(`${text}\n`)
}

function printed(value: unknown): string {
  return JSON.stringify(value, null, 2)
}
