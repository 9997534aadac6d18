/** A history as lines of JSON, and what it costs `JSON.parse` to read them: the peer of most checks. */
import { closeSync, openSync, writeSync } from 'node:fs'
import { HistoryBuilder } from '../../src/history/history-builder.ts'
import type { History, HistoryEvent } from '../../src/history/index.ts'
import { processorMs } from './row.ts'

const CHUNK = 1 << 20

/** `emit` calls back with every event in order. */
export type Events = (visit: (event: HistoryEvent) => void) => void

export function linesOf(emit: Events): Buffer {
  const chunks: Buffer[] = []
  eachChunk(emit, (text) => chunks.push(Buffer.from(text)))
  return Buffer.concat(chunks)
}

export function writeLines(path: string, emit: Events): void {
  const file = openSync(path, 'w')
  eachChunk(emit, (text) => writeSync(file, text))
  closeSync(file)
}

function eachChunk(emit: Events, take: (text: string) => void): void {
  let text = ''
  emit((event) => {
    text += `${JSON.stringify(event)}\n`
    if (text.length < CHUNK) return
    take(text)
    text = ''
  })
  take(text)
}

function eachLine(bytes: Buffer, visit: (line: string) => void): void {
  for (let at = 0; at < bytes.length;) {
    const end = bytes.indexOf(10, at)
    visit(bytes.toString('latin1', at, end))
    at = end + 1
  }
}

/** Processor time of parsing every line, without what it takes to find the lines. */
export function parseMs(bytes: Buffer): number {
  let length = 0
  const finding = processorMs(() => eachLine(bytes, (line) => (length += line.length)))
  let objects = 0
  const both = processorMs(() =>
    eachLine(bytes, (line) => (objects += typeof JSON.parse(line) === 'object' ? 1 : 0)),
  )
  if (length === 0 || objects === 0) throw new Error('an empty history')
  return both - finding
}

export function load(bytes: Buffer): History {
  const builder = new HistoryBuilder()
  eachLine(bytes, (line) => builder.event(JSON.parse(line) as HistoryEvent))
  return builder.finish()
}
