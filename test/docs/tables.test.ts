/** Tables of the docs that are made from the code. `WAVETANK_UPDATE=1` writes them. */
import { readFileSync, writeFileSync } from 'node:fs'
import { format } from 'prettier'
import { expect, it } from 'vitest'
import { TOOLS } from '../../src/mcp/tools.ts'
import { rulesMarkdown } from '../../src/report/review-text.ts'
import { RULES } from '../../src/review/index.ts'

function toolsMarkdown(): string {
  const rows = TOOLS.map(({ name, description }) => `| \`${name}\` | ${description} |\n`)
  return ['| tool | |\n', '| --- | --- |\n', ...rows].join('')
}

it.each([
  ['review.md', 'rules', rulesMarkdown(RULES)],
  ['agents.md', 'tools', toolsMarkdown()],
])('docs/%s lists all %s in their own words', async (page, mark, markdown) => {
  const file = new URL(`../../docs/${page}`, import.meta.url)
  const table = await format(markdown, { parser: 'markdown' })
  const [before, after] = readFileSync(file, 'utf8').split(
    new RegExp(`(?<=<!-- ${mark} -->\\n)[\\s\\S]*(?=<!-- /${mark} -->)`),
  )
  const wanted = `${before}\n${table}\n${after}`
  if (process.env.WAVETANK_UPDATE === '1') writeFileSync(file, wanted)
  expect(readFileSync(file, 'utf8')).toBe(wanted)
})
