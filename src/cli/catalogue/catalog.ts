/** `wavetank catalog`: what plans link to. */
import type { Command } from 'commander'
import { UsageError } from '../../kernel/errors.ts'
import { describe, json, output, parse } from '../arguments.ts'
import { write } from '../terminal.ts'

export function command(): Command {
  return describe('catalog')
    .argument('[kind]', 'which catalogue; without it, all kinds are listed')
    .argument('[id]', 'one entry of it')
    .addOption(json())
    .option('--markdown', 'all of them, as docs/catalog.md')
    .addOption(output('the answer'))
}

export async function run(args: readonly string[]): Promise<number> {
  const given = parse(command(), args)
  if (given === null) return 0
  const [kind, id] = given.args as (string | undefined)[]
  const options = given.opts<{ json?: boolean; markdown?: boolean; output?: string }>()
  const { json: asJson = false, markdown = false } = options
  write(await answer({ kind, id, asJson, markdown }), options.output)
  return 0
}

interface Request {
  readonly kind: string | undefined
  readonly id: string | undefined
  readonly asJson: boolean
  readonly markdown: boolean
}

async function answer({ kind, id, asJson, markdown }: Request): Promise<string> {
  const { CATALOGUES } = await import('../../plan/catalog/index.ts')
  const { catalogueMarkdown, catalogueText, entryText, kindsText } =
    await import('../../report/catalogue-text.ts')
  const print = (data: unknown, text: () => string): string =>
    asJson
      ? `${JSON.stringify(data, (_, value: unknown) => (value instanceof RegExp ? value.source : value), 2)}\n`
      : text()
  if (markdown) return catalogueMarkdown(CATALOGUES)
  if (kind === undefined)
    return print(
      CATALOGUES.map(({ kind: name, title, about, entries }) => ({
        kind: name,
        title,
        about,
        entries: entries.length,
      })),
      () => kindsText(CATALOGUES),
    )
  const catalogue = CATALOGUES.find((each) => each.kind === kind)
  if (catalogue === undefined)
    throw unknown(
      'kind',
      kind,
      CATALOGUES.map((each) => each.kind),
    )
  if (id === undefined) return print(catalogue.entries, () => catalogueText(catalogue))
  const entry = catalogue.entries.find((each) => each.id === id)
  if (entry === undefined)
    throw unknown(
      `entry of ${kind}`,
      id,
      catalogue.entries.map((each) => each.id),
    )
  return print(entry, () => entryText(catalogue, entry))
}

function unknown(what: string, name: string, known: readonly string[]): UsageError {
  return new UsageError(
    'ERR_WAVETANK_CATALOG',
    `catalog: there is no ${what} "${name}"; there are ${known.join(', ')}`,
  )
}
