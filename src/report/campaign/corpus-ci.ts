/** What a run of the corpus gave, as CI servers read it: a JUnit suite, and annotations for GitHub. */
import type { CorpusResult } from '../../failures/corpus-verdict.ts'
import { statusText } from './corpus-text.ts'
import { message, property } from '../form/github-commands.ts'
import { attribute, escapeMarkup } from '../form/markup.ts'

/** A test suite with a case per entry; empty if there is none. A stale entry is skipped: JUnit knows no third verdict. */
export function corpusJunit(results: readonly CorpusResult[]): string {
  if (results.length === 0) return ''
  const failures = results.filter(isFailure).length
  const skipped = results.filter(({ status }) => status === 'stale' || status === 'left-out').length
  const cases = results.map((result) => {
    const { scenario, violated, file, status, reason, replay } = result
    const head = `    <testcase classname="corpus" name=${attribute(scenario === null ? file : `${scenario}: ${violated} (${file})`)}`
    if (status === 'fixed') return `${head}/>\n`
    const text = `${statusText(status)}: ${reason}`
    const body = isFailure(result)
      ? `<failure message=${attribute(text)} type="corpus">${escapeMarkup(`${text}\nreplay: ${replay}`)}</failure>`
      : `<skipped message=${attribute(text)}/>`
    return `${head}>${body}</testcase>\n`
  })
  return (
    `  <testsuite name="corpus" tests="${results.length}" failures="${failures}" skipped="${skipped}">\n` +
    `${cases.join('')}  </testsuite>\n`
  )
}

/** An error per entry that fails or cannot be read, a warning per stale one. */
export function corpusGithub(results: readonly CorpusResult[]): string {
  return results
    .filter(({ status }) => status !== 'fixed' && status !== 'left-out')
    .map((result) => {
      const { file, scenario, status, reason, replay } = result
      const kind = isFailure(result) ? 'error' : 'warning'
      const title = `corpus: ${scenario ?? file}: ${statusText(status)}`
      return `::${kind} file=${property(file)},title=${property(title)}::${message(`${reason}\n${replay}`)}\n`
    })
    .join('')
}

function isFailure({ status }: CorpusResult): boolean {
  return status === 'failing' || status === 'unreadable'
}
