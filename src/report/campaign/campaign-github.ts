/**
 * Results as GitHub workflow commands: an annotation per unique bug, at the simulation file, a warning per coverage
 * gap, and a notice per situation that occurred too rarely. GitHub shows them at the pull request.
 */
import type { CorpusResult } from '../../failures/corpus-verdict.ts'
import type { CampaignResult } from '../../sim/campaign/result.ts'
import { corpusGithub } from './corpus-ci.ts'
import { message, property } from '../form/github-commands.ts'

export function campaignGithub(
  results: readonly CampaignResult[],
  corpus: readonly CorpusResult[] = [],
): string {
  return corpusGithub(corpus) + results.flatMap(annotations).join('')
}

function annotations(result: CampaignResult): string[] {
  const file = result.file === null ? '' : `file=${property(result.file)},`
  const lines = result.bugs.map((bug) => {
    const replay = result.artefacts.find((artefact) => artefact.signature === bug.signature)?.replay
    const body = `${bug.message}\nseeds ${bug.seeds.join(' ')}${replay === undefined ? '' : `\n${replay}`}`
    return `::error ${file}title=${property(`${result.name}: ${bug.category}: ${bug.title}`)}::${message(body)}\n`
  })
  if (result.verdict === 'coverage-gap' || result.verdict === 'unknown') {
    lines.push(
      `::warning ${file}title=${property(`${result.name}: ${result.verdict}`)}::${message(result.reasons.join('\n'))}\n`,
    )
  }
  for (const { name, times, advice } of result.situations.filter(
    ({ status }) => status === 'under-covered',
  )) {
    const body = [`occurred ${times === 1 ? 'once' : `${times} times`}`, ...advice].join('\n')
    lines.push(
      `::notice ${file}title=${property(`${result.name}: situation '${name}' is under-covered`)}::${message(body)}\n`,
    )
  }
  return lines
}
