/** Catalogues of plans as text and as Markdown: pure functions of the data. */
import type { Catalogue, Entry } from '../plan/catalog/index.ts'
import { table } from './form/table.ts'

/** The kinds that there are. */
export function kindsText(catalogues: readonly Catalogue[]): string {
  const rows = catalogues.map(({ kind, entries, about }) => [kind, entries.length, about])
  return `${table(['kind', 'entries', 'about'], rows, '').join('\n')}\n`
}

/** The entries of one kind, a line each. */
export function catalogueText({ title, about, entries }: Catalogue): string {
  const rows = entries.map(({ id, title: name, text }) => [id, name === id ? text : `${name}. ${text}`])
  return `${title}: ${about}\n\n${table(['id', 'what'], rows, '').join('\n')}\n`
}

/** One entry with everything that is known of it. */
export function entryText(catalogue: Catalogue, entry: Entry): string {
  const lines = [`${entry.id} (${catalogue.kind})`, entry.title, '', entry.text, '']
  for (const [label, text] of catalogue.details(entry)) lines.push(`${label}: ${text}`)
  lines.push(`references: ${entry.references.join('; ')}`)
  return `${lines.join('\n')}\n`
}

/** All of them, as docs/catalog.md has them. */
export function catalogueMarkdown(catalogues: readonly Catalogue[]): string {
  const parts = [
    '# Catalogues',
    '',
    'What plans link to, as data in `src/plan/catalog`. `wavetank catalog KIND ID` prints one entry; the linter refuses ids that are not here. This page is generated: `wavetank catalog --markdown > docs/catalog.md`.',
  ]
  for (const catalogue of catalogues) {
    parts.push('', `## ${catalogue.title}`, '', `\`wavetank catalog ${catalogue.kind}\`: ${catalogue.about}`)
    for (const entry of catalogue.entries) {
      parts.push('', `### ${entry.id}`, '', `**${entry.title}.** ${entry.text}`, '')
      for (const [label, text] of catalogue.details(entry)) parts.push(`- ${label}: ${text}`)
      parts.push(`- references: ${entry.references.join('; ')}`)
    }
  }
  return `${parts.join('\n')}\n`
}
