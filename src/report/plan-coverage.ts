/** The coverage of a plan as text and as a page: pure functions of the data. Large matrices are split. */
import type { CellState, Coverage } from '../plan/coverage.ts'
import { escapeMarkup } from './form/markup.ts'
import { table } from './form/table.ts'

/** Columns beyond these make a table unreadable. */
const MOST_COLUMNS = 12

const MARKS: Readonly<Record<CellState, string>> = { covered: '■', partial: '◧', not: '□' }

export function coverageText(coverage: Coverage): string {
  const lines = [coverage.title, '']
  for (const columns of chunks(coverage.hypotheses, MOST_COLUMNS)) {
    const rows = coverage.claims.map(({ id, category, state }) => [
      `${MARKS[state]} ${id}`,
      category,
      ...columns.map((hypothesis) => cellText(coverage, id, hypothesis.id)),
    ])
    lines.push(...table(['claim', 'category', ...columns.map(({ id }) => id)], rows), '')
  }
  lines.push('  ■ covered  ◧ partial  □ not covered', '')
  if (coverage.gaps.length === 0) lines.push('  no gaps')
  for (const { kind, cells } of coverage.gaps) lines.push(`  ${kind}: ${cells.join(', ')}`)
  return `${lines.join('\n')}\n`
}

function cellText({ cells }: Coverage, claim: string, hypothesis: string): string {
  const cell = cells.find((each) => each.claim === claim && each.hypothesis === hypothesis)
  return cell === undefined ? '·' : `${MARKS[cell.state]} ${cell.scenarios.join(' ')}`.trim()
}

const STYLE = `body{font:15px/1.5 system-ui,sans-serif;margin:2rem;max-width:75rem}table{border-collapse:collapse;margin:1rem 0}
th,td{border:1px solid #ccc;padding:.3rem .6rem;text-align:left;vertical-align:top}th{background:#f4f4f4}
.covered{background:#d8f0dc}.partial{background:#fdf1cf}.not{background:#f8d7d3}
@media(prefers-color-scheme:dark){body{background:#161616;color:#eee}th{background:#222}th,td{border-color:#444}.covered{background:#1d4027}.partial{background:#4d4015}.not{background:#4f211c}}`

/** A page that opens from disk: no script, nothing loaded. */
export function coveragePage(coverage: Coverage): string {
  const { title, claims, hypotheses, gaps } = coverage
  const matrices = chunks(hypotheses, MOST_COLUMNS).map((columns) => {
    const head = columns.map(
      ({ id, hypothesis }) => `<th title="${escapeMarkup(hypothesis)}">${escapeMarkup(id)}</th>`,
    )
    const rows = claims.map(({ id, claim, category }) => {
      const cells = columns.map((column) => pageCell(coverage, id, column.id))
      return `<tr><th>${escapeMarkup(id)}</th><td>${escapeMarkup(claim)}</td><td>${escapeMarkup(category)}</td>${cells.join('')}</tr>`
    })
    return `<table><tr><th>claim</th><th></th><th>category</th>${head.join('')}</tr>${rows.join('\n')}</table>`
  })
  const list = gaps.map(
    ({ kind, cells }) => `<li>${escapeMarkup(kind)}: ${cells.map(escapeMarkup).join(', ')}</li>`,
  )
  const meanings = hypotheses.map(
    ({ id, hypothesis }) => `<li>${escapeMarkup(id)}: ${escapeMarkup(hypothesis)}</li>`,
  )
  return `<!doctype html><html lang="en"><meta charset="utf-8"><title>${escapeMarkup(title)}</title><style>${STYLE}</style>
<h1>${escapeMarkup(title)}</h1>
${matrices.join('\n')}
<h2>Hypotheses</h2><ul>${meanings.join('')}</ul>
<h2>Gaps</h2>${list.length === 0 ? '<p>none</p>' : `<ul>${list.join('')}</ul>`}
</html>
`
}

function pageCell({ cells }: Coverage, claim: string, hypothesis: string): string {
  const cell = cells.find((each) => each.claim === claim && each.hypothesis === hypothesis)
  if (cell === undefined) return '<td></td>'
  const text = [cell.state, ...cell.scenarios, ...(cell.gap === null ? [] : [`(${cell.gap})`])].join(' ')
  return `<td class="${cell.state}">${escapeMarkup(text)}</td>`
}

function chunks<T>(list: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(list.length / size) }, (_, index) =>
    list.slice(index * size, (index + 1) * size),
  )
}
