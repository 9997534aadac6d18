/**
 * The laws that every format of histories keeps, run for each: what it writes it reads back, it is recognised by its own
 * text and by no other format's, a mistake has its line and column, a last line that a crash cut off is reported instead
 * of stopping everything, and neither carriage returns nor a byte order mark nor an empty file trouble it.
 */
import { Readable } from 'node:stream'
import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import type { History } from '../history.ts'
import { HistoryBuilder } from '../history-builder.ts'
import { parseHistory, readHistory } from '../read.ts'
import { printHistory } from '../write.ts'
import type { HistoryFormat } from './format.ts'
import { FORMATS } from './index.ts'
import { HistorySyntaxError } from './syntax-error.ts'

export interface FormatExample {
  readonly format: HistoryFormat
  /** Histories that the format can hold, all of them with at least two operations. */
  readonly histories: readonly History[]
  /** A line that no text of the format may have, put behind a good text. */
  readonly badLine: string
  /** What of a history the format keeps: compared before and after. */
  kept(history: History): unknown
}

export function formatContract({ format, histories, badLine, kept }: FormatExample): void {
  const textOf = (history: History): string => [...printHistory(history, format.name)].join('')

  describe(`the format ${format.name}`, () => {
    it('reads back what it writes', () => {
      for (const history of histories) {
        const again = parseHistory(textOf(history), { format: format.name })
        expect(again.format).toBe(format.name)
        expect(again.problems).toEqual([])
        expect(again.length).toBeGreaterThanOrEqual(2)
        expect(kept(again)).toEqual(kept(history))
      }
    })

    it('writes the same again after reading it', () => {
      for (const history of histories) {
        const text = textOf(history)
        expect(textOf(parseHistory(text, { format: format.name }))).toBe(text)
      }
    })

    it('is recognised by what it writes, and no other format claims that', () => {
      for (const history of histories) {
        const head = textOf(history)
        expect(FORMATS.filter((one) => one.detect(head)).map(({ name }) => name)).toEqual([format.name])
        expect(parseHistory(head).format).toBe(format.name)
      }
    })

    it('takes carriage returns, a byte order mark and blank lines at the end', () => {
      for (const history of histories) {
        const text = textOf(history)
        const expected = kept(parseHistory(text, { format: format.name }))
        for (const variant of [
          text.replaceAll('\n', '\r\n'),
          `\ufeff${text}`,
          `${text}\n\n`,
          text.trimEnd(),
        ]) {
          const read = parseHistory(variant, { format: format.name })
          expect(kept(read)).toEqual(expected)
          expect(read.problems).toEqual([])
        }
      }
    })

    it('reads an empty file as a history without operations', () => {
      for (const text of ['', '\n', ' \r\n\t\n']) expect(parseHistory(text).length).toBe(0)
    })

    it('says where a mistake is', () => {
      const text = textOf(histories[0])
      const error = errorOf(() => parseHistory(`${text.trimEnd()}\n${badLine}\n`, { format: format.name }))
      expect(error).toBeInstanceOf(HistorySyntaxError)
      const { line, column } = error as HistorySyntaxError
      expect(line).toBeGreaterThanOrEqual(1)
      expect(line).toBeLessThanOrEqual(text.split('\n').length + 1)
      expect(column).toBeGreaterThanOrEqual(1)
      expect((error as Error).message).toMatch(/^line \d+, column \d+: /)
    })

    const { realTime } = parseHistory(textOf(histories[0]), { format: format.name })

    it.skipIf(realTime)(
      'refuses a file of sessions that was cut off: its reads may have seen what is missing',
      () => {
        const text = textOf(histories[0])
        const byLine = format.reader(new HistoryBuilder()).by === 'line'
        const torn = byLine ? [`${text.trimEnd()}\n${badLine.slice(0, -1)}`] : []
        for (const cut of [...torn, gzipSync(text).subarray(0, -4)]) {
          const error = errorOf(() => parseHistory(cut, { format: format.name }))
          expect(error).toBeInstanceOf(HistorySyntaxError)
        }
      },
    )

    it.runIf(realTime)('skips and reports a last line that was cut off, where lines stand alone', () => {
      if (format.reader(new HistoryBuilder()).by !== 'line') return
      const text = `${textOf(histories[0]).trimEnd()}\n${badLine.slice(0, -1)}`
      const read = parseHistory(text, { format: format.name })
      expect(kept(read)).toEqual(kept(parseHistory(textOf(histories[0]), { format: format.name })))
      expect(read.problems.map(({ code, line }) => [code, line])).toEqual([
        ['torn-last-line', text.split('\n').length],
      ])
    })

    it.runIf(realTime)('says when its gzip stream was cut off', async () => {
      const packed = gzipSync(textOf(histories[0]))
      for (const bytes of [packed, packed.subarray(0, -4)]) {
        const expected = bytes === packed ? [] : ['cut-off-gzip']
        const codes = (history: History) => history.problems.map(({ code }) => code)
        expect(codes(parseHistory(bytes, { format: format.name }))).toEqual(expected)
        const streamed = await readHistory(Readable.from([bytes]), { format: format.name })
        expect(codes(streamed)).toEqual(expected)
        expect(kept(streamed)).toEqual(kept(parseHistory(textOf(histories[0]), { format: format.name })))
      }
    })

    it('never throws anything but a syntax error with a place on a text that is cut off', () => {
      const text = textOf(histories[0])
      const thrown = Array.from({ length: text.length }, (_, end) =>
        errorOf(() => parseHistory(text.slice(0, end), { format: format.name })),
      )
      expect(thrown.filter((error) => error !== null && !(error instanceof HistorySyntaxError))).toEqual([])
    })
  })
}

function errorOf(body: () => unknown): unknown {
  try {
    body()
    return null
  } catch (error) {
    return error
  }
}
