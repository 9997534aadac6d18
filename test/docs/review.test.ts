/** docs/review.md has the table of rules as the code has it. `WAVETANK_UPDATE=1` writes it. */
import { readFileSync, writeFileSync } from 'node:fs'
import { format } from 'prettier'
import { expect, it } from 'vitest'
import { rulesMarkdown } from '../../src/report/review-text.ts'
import { RULES } from '../../src/review/index.ts'

const PAGE = new URL('../../docs/review.md', import.meta.url)

it('docs/review.md lists every rule with its words', async () => {
  const text = readFileSync(PAGE, 'utf8')
  const table = await format(rulesMarkdown(RULES), { parser: 'markdown' })
  const [before, after] = text.split(/(?<=<!-- rules -->\n)[\s\S]*(?=<!-- \/rules -->)/)
  const wanted = `${before}\n${table}\n${after}`
  if (process.env.WAVETANK_UPDATE === '1') writeFileSync(PAGE, wanted)
  expect(readFileSync(PAGE, 'utf8')).toBe(wanted)
})
