/**
 * Results as JUnit XML, as CI servers read it: a test suite per simulation; a test case per promise (invariant, checker,
 * assertion), and one for everything else that can break. A coverage gap is a skipped case with its reason, since JUnit
 * knows no third verdict.
 */
import { statusOf } from '../../sim/authoring/assertion-table.ts'
import { isViolation, type UniqueBug } from '../../sim/running/failure.ts'
import type { CampaignResult } from '../../sim/campaign/result.ts'
import type { CorpusResult } from '../../failures/corpus-verdict.ts'
import { corpusJunit } from './corpus-ci.ts'
import { attribute, escapeMarkup } from '../form/markup.ts'
import { counted } from '../form/quantity.ts'

export function campaignJunit(
  results: readonly CampaignResult[],
  corpus: readonly CorpusResult[] = [],
): string {
  const suites = corpusJunit(corpus) + results.map(suite).join('')
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name="wavetank">\n${suites}</testsuites>\n`
}

interface Case {
  readonly name: string
  readonly body: string
  readonly outcome: 'pass' | 'failure' | 'error' | 'skipped'
}

function suite(result: CampaignResult): string {
  const cases = casesOf(result)
  const failures = cases.filter((one) => one.outcome === 'failure').length
  const errors = cases.filter((one) => one.outcome === 'error').length
  const skipped = cases.filter((one) => one.outcome === 'skipped').length
  const time = (result.wallMs / 1000).toFixed(3)
  const lines = cases.map(({ name, body }) => {
    const head = `    <testcase classname=${attribute(`${result.name} (${result.level})`)} name=${attribute(name)}`
    return body === '' ? `${head}/>\n` : `${head}>${body}</testcase>\n`
  })
  return (
    `  <testsuite name=${attribute(result.name)} tests="${cases.length}" failures="${failures}" errors="${errors}" skipped="${skipped}" time="${time}">\n` +
    `${lines.join('')}  </testsuite>\n`
  )
}

function casesOf(result: CampaignResult): Case[] {
  const cases: Case[] = []
  const told = new Set<UniqueBug>()
  const add = (name: string, categories: readonly string[], title: string): void => {
    const bug = result.bugs.find((one) => categories.includes(one.category) && one.title === title)
    if (bug !== undefined) told.add(bug)
    cases.push(bug === undefined ? { name, body: '', outcome: 'pass' } : failed(name, bug, result))
  }
  for (const { name } of result.invariants) add(`invariant: ${name}`, ['invariant'], name)
  for (const { name, verdict, reason } of result.checkers) {
    if (verdict === 'unknown') cases.push(skipped(`checker: ${name}`, `unknown: ${reason}`))
    else add(`checker: ${name}`, ['checker'], name)
  }
  for (const assertion of result.assertions) {
    const name = `${assertion.kind}: ${assertion.message}`
    if (statusOf(assertion) === 'miss') {
      const why = assertion.reached === 0 ? 'never reached' : 'never true'
      cases.push(skipped(name, why))
    } else add(name, ['assertion'], assertion.message)
  }
  for (const { name, status } of result.situations) {
    const title = `situation: ${name}`
    if (status === 'not-exercised') cases.push(skipped(title, 'never occurred'))
    else cases.push({ name: title, body: '', outcome: 'pass' })
  }
  for (const { kind, message } of result.gaps) cases.push(skipped(`gap: ${kind}`, message))
  const rest = result.bugs.filter((bug) => !told.has(bug))
  for (const bug of rest) cases.push(failed(bug.signature, bug, result))
  if (rest.length === 0) {
    cases.push({
      name: `${counted(result.seeds.count, 'seed')} run to ${result.seeds.count === 1 ? 'its' : 'their'} end`,
      body: '',
      outcome: 'pass',
    })
  }
  return cases
}

function skipped(name: string, why: string): Case {
  return { name, body: `<skipped message=${attribute(why)}/>`, outcome: 'skipped' }
}

function failed(name: string, bug: UniqueBug, result: CampaignResult): Case {
  const replay = result.artefacts.find((artefact) => artefact.signature === bug.signature)?.replay
  const text = `${bug.message}\nseeds: ${bug.seeds.join(' ')}${replay === undefined ? '' : `\nreplay: ${replay}`}`
  if (!isViolation(bug)) {
    // The run says nothing about the system: JUnit calls that an error, not a failure.
    const error = `<error message=${attribute(bug.message)} type=${attribute(bug.category)}>${escapeMarkup(text)}</error>`
    return { name, body: error, outcome: 'error' }
  }
  const body = `<failure message=${attribute(bug.message)} type=${attribute(bug.category)}>${escapeMarkup(text)}</failure>`
  return { name, body, outcome: 'failure' }
}
