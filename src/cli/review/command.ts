/** `wavetank review`: what in a source breaks replay, hides bugs, or lies outside what the tank controls. */
import { Option, type Command } from 'commander'
import { InstalledAddons } from '../../host/installed-addons.ts'
import type { ReviewResult, Severity } from '../../review/index.ts'
import { checkOutput, paintFor, write } from '../terminal.ts'
import { describe, json, output, parse, reporter } from '../arguments.ts'
import { changedSince, sourcesOf, type ChangedLines } from './sources.ts'

interface ReviewOptions {
  readonly since?: string
  readonly failOn: Severity
  readonly rules?: boolean
  readonly json?: boolean
  readonly reporter: 'text' | 'github'
  readonly output?: string
}

export function command(): Command {
  return describe('review')
    .argument('[paths...]', 'files and folders; the working directory by default')
    .option('--since <revision>', 'only lines that have changed since a git revision')
    .addOption(
      new Option('--fail-on <severity>', 'the least severity that gives exit code 1')
        .choices(['block', 'warn', 'info'])
        .default('block'),
    )
    .option('--rules', 'list the rules: what each looks for, why, and what to write instead')
    .addOption(json())
    .addOption(reporter('text', 'github'))
    .addOption(output('the review'))
}

export async function run(args: readonly string[]): Promise<number> {
  const given = parse(command(), args)
  if (given === null) return 0
  const options = given.opts<ReviewOptions>()
  checkOutput(options.output)
  const { parse: parseSource, review, RULES, SEVERITIES } = await import('../../review/index.ts')
  const { reviewGithub, reviewText, rulesText } = await import('../../report/review-text.ts')
  if (options.rules === true) {
    const plain = RULES.map(({ name, severity, text, why, fix }) => ({ name, severity, text, why, fix }))
    write(options.json === true ? `${JSON.stringify(plain, null, 2)}\n` : rulesText(plain), options.output)
    return 0
  }
  const folder = process.cwd()
  const changed = options.since === undefined ? null : changedSince(options.since, folder)
  const addons = new InstalledAddons()
  const paths = given.args.length === 0 ? ['.'] : given.args
  const whole = review(touched(sourcesOf(paths, folder), changed), parseSource, {
    nativeAddon: (specifier, importer) => addons.of(specifier, importer),
  })
  const result = changed === null ? whole : onlyChanged(whole, changed)
  const text =
    options.json === true
      ? `${JSON.stringify(result, null, 2)}\n`
      : options.reporter === 'github'
        ? reviewGithub(result)
        : reviewText(result, options.output === undefined ? paintFor(process.stdout) : undefined)
  write(text, options.output)
  if (result.files === 0 && changed === null) return 2
  const failing = SEVERITIES.slice(0, SEVERITIES.indexOf(options.failOn) + 1)
  if (result.findings.some(({ severity }) => failing.includes(severity))) return 1
  return result.unread.length > 0 ? 2 : 0
}

function* touched<T extends { readonly path: string }>(sources: Iterable<T>, changed: ChangedLines | null) {
  for (const source of sources) if (changed === null || changed.has(source.path)) yield source
}

function onlyChanged(result: ReviewResult, changed: ChangedLines): ReviewResult {
  const isChanged = ({ file, line }: { readonly file: string; readonly line: number }): boolean => {
    const lines = changed.get(file)
    return lines === null || lines?.has(line) === true
  }
  return {
    ...result,
    findings: result.findings.filter(isChanged),
    suppressed: result.suppressed.filter(({ finding }) => isChanged(finding)),
  }
}
