/** docs/maelstrom.md has every option with its default, every error code, and every request with the fields of its reply. */
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { ERROR_CODES } from '../../maelstrom/protocol/error-codes.ts'
import { WORKLOADS } from '../../maelstrom/workloads/index.ts'
import { command } from './command.ts'

const PAGE = readFileSync(new URL('../../../docs/maelstrom.md', import.meta.url), 'utf8')

/** The cells of the rows of all tables. */
const ROWS = PAGE.split('\n')
  .filter((line) => line.startsWith('|'))
  .map((line) => line.split('|').map((cell) => cell.trim()))

describe('the page', () => {
  it('has every option, with its default', () => {
    const missing = command().options.filter(({ long, defaultValue, defaultValueDescription }) => {
      const name = long === '--log-net-recv' ? '-recv' : long! // shares a row with --log-net-send
      const row = ROWS.find(([, cell]) => cell.includes(`${name}\``))
      if (row === undefined) return true
      const shown = defaultValueDescription ?? defaultValue
      return shown !== undefined && row[2].replaceAll('`', '') !== String(shown)
    })
    expect(missing.map(({ long }) => long)).toEqual([])
  })

  it('has every error code, definite or not', () => {
    const cells = ROWS.map((row) => row.join(' '))
    const missing = Object.entries(ERROR_CODES).filter(
      ([code, { name, definite }]) =>
        !cells.some((row) => new RegExp(` ${code} +${name} +${definite ? 'yes' : 'no'} `).test(row)),
    )
    expect(missing).toEqual([])
  })

  it('has every request of every workload, with the fields of its reply', () => {
    const missing = Object.entries(WORKLOADS).flatMap(([workload, { rpcs }]) => {
      const from = ROWS.findIndex(([, cell]) => cell === `\`${workload}\``)
      const to = ROWS.findIndex(([, cell], i) => i > from && cell !== '')
      const rows = ROWS.slice(from, to < 0 ? undefined : to)
      return Object.entries(rpcs)
        .filter(([request]) => request !== 'init')
        .filter(([request, { fields }]) => {
          const row = rows.find(([, , cell]) => cell.startsWith(`\`${request}\``))
          return row === undefined || Object.keys(fields).some((field) => !row[3].includes(`\`${field}\``))
        })
        .map(([request]) => `${workload} ${request}`)
    })
    expect(missing).toEqual([])
  })
})
