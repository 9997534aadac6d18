import {
  appendFileSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { CorruptionError, Storage } from './storage.js'
import type { Entry, Recovered } from './types.ts'

const MEMBERS = { a: { peer: 'a:1', api: 'a:2' } }
const entry = (index: number, term = 1, text = ''): Entry => ({
  index,
  term,
  timeMs: 0,
  kind: 'command',
  session: 1,
  sequence: index,
  command: text,
})

let folder: string
const file = (name: string): string => join(folder, name)

async function reopened(): Promise<Recovered> {
  const storage = new Storage(folder)
  try {
    return await storage.open(MEMBERS)
  } finally {
    await storage.close()
  }
}

/** Writes some batches the way a server does. */
async function written(...batches: readonly Entry[][]): Promise<void> {
  const storage = new Storage(folder)
  await storage.open(MEMBERS)
  for (const entries of batches) {
    await storage.persist([{ term: entries[0].term, vote: 'a', from: entries[0].index, entries }])
  }
  await storage.close()
}

async function corruption(): Promise<CorruptionError> {
  const error: unknown = await reopened().catch((thrown: unknown) => thrown)
  expect(error).toBeInstanceOf(CorruptionError)
  return error as CorruptionError
}

/** Where the last batch of the log begins. */
function lastBatch(): number {
  const text = readFileSync(file('log'), 'latin1')
  return text.lastIndexOf('\n', text.length - 2) + 1
}

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'wavetank-raft-'))
})
afterEach(() => {
  rmSync(folder, { recursive: true })
})

describe('the log on the disk', () => {
  it('is empty in a new folder', async () => {
    const expected = { term: 0, vote: null, entries: [], snapshot: { index: 0, members: MEMBERS } }
    expect(await reopened()).toMatchObject(expected)
  })

  it('gives back what was persisted, later entries in place of earlier ones', async () => {
    await written([entry(1), entry(2), entry(3)], [entry(2, 2)])
    const { term, vote, entries } = await reopened()
    expect({ term, vote }).toEqual({ term: 2, vote: 'a' })
    expect(entries.map((each) => [each.index, each.term])).toEqual([
      [1, 1],
      [2, 2],
    ])
  })

  it('loses a last batch that was cut short, and goes on', async () => {
    await written([entry(1)], [entry(2)])
    truncateSync(file('log'), lastBatch() + 30)
    expect((await reopened()).entries).toHaveLength(1)
    await written([entry(2, 3)])
    expect((await reopened()).entries).toHaveLength(2)
  })

  it('loses a last batch of which the head never reached the disk', async () => {
    await written([entry(1)])
    appendFileSync(file('log'), Buffer.alloc(700))
    expect((await reopened()).entries).toHaveLength(1)
  })

  it('loses a last batch with a sector that never reached the disk', async () => {
    await written([entry(1)], [entry(2, 1, 'x'.repeat(3000))])
    const bytes = readFileSync(file('log'))
    bytes.fill(0, 1024, 1536)
    writeFileSync(file('log'), bytes)
    expect((await reopened()).entries).toHaveLength(1)
  })

  it('is refused when a batch before the last is damaged, with file and offset', async () => {
    await written([entry(1)], [entry(2)])
    const bytes = readFileSync(file('log'))
    const offset = bytes.indexOf('\n') + 1
    bytes[offset + 40] ^= 1
    writeFileSync(file('log'), bytes)
    const error = await corruption()
    expect(error).toMatchObject({ file: file('log'), offset })
    expect(error.message).toMatch(
      /log is corrupt at byte \d+: the checksum is wrong, and a whole batch follows at \d+/,
    )
  })

  it('is refused when the last batch is whole but damaged: it may have been answered for', async () => {
    await written([entry(1)], [entry(2)])
    const bytes = readFileSync(file('log'))
    bytes[lastBatch() + 60] ^= 1
    writeFileSync(file('log'), bytes)
    expect((await corruption()).message).toMatch(/no part of the batch is missing/)
  })

  it.each([
    ['length', 3],
    ['checksum', 12],
    ['newline', -1],
  ])('is refused when one bit of the last batch’s %s is flipped', async (_what, place) => {
    await written([entry(1)], [entry(2)])
    const bytes = readFileSync(file('log'))
    bytes[place < 0 ? bytes.length + place : lastBatch() + place] ^= 1
    writeFileSync(file('log'), bytes)
    expect((await corruption()).message).toMatch(/no part of the batch is missing/)
  })

  it('is refused when a batch in the middle is missing', async () => {
    await written([entry(1)], [entry(2)])
    const lines = readFileSync(file('log'), 'utf8').split('\n')
    writeFileSync(file('log'), [lines[0], lines[2], ''].join('\n'))
    expect((await corruption()).message).toMatch(/batch 3 follows batch 1/)
  })

  it('is not repaired by being refused', async () => {
    await written([entry(1)], [entry(2)])
    const bytes = readFileSync(file('log'))
    bytes[20] ^= 1
    writeFileSync(file('log'), bytes)
    await corruption()
    expect(readFileSync(file('log'))).toEqual(bytes)
    await corruption()
  })
})

describe('a snapshot on the disk', () => {
  const snapshot = { index: 2, term: 1, timeMs: 5, members: MEMBERS, data: '{"sessions":[],"machine":[]}' }

  async function withSnapshot(entries: Entry[]): Promise<void> {
    const storage = new Storage(folder)
    await storage.open(MEMBERS)
    await storage.persist([{ term: 1, vote: null, from: 1, entries: [entry(1), entry(2)] }])
    await storage.replaceSnapshot(snapshot, { term: 1, vote: null, entries })
    await storage.close()
  }

  it('replaces the entries before it', async () => {
    await withSnapshot([entry(3)])
    expect(await reopened()).toEqual({ term: 1, vote: null, snapshot, entries: [entry(3)] })
    expect(existsSync(file('snapshot.new'))).toBe(false)
  })

  it('writes over what a crash left behind', async () => {
    for (const name of ['log.new', 'snapshot.new']) writeFileSync(file(name), 'x'.repeat(10_000))
    await withSnapshot([entry(3)])
    expect(await reopened()).toEqual({ term: 1, vote: null, snapshot, entries: [entry(3)] })
    expect(['log.new', 'snapshot.new'].map((name) => existsSync(file(name)))).toEqual([false, false])
  })

  it('counts even if the power failed before the log was written anew', async () => {
    await written([entry(1), entry(2), entry(3)])
    const log = readFileSync(file('log'))
    await withSnapshot([])
    writeFileSync(file('log'), log)
    expect((await reopened()).entries).toEqual([entry(3)])
  })

  it('takes entries away that do not agree with it', async () => {
    await written([entry(1), entry(2, 9), entry(3, 9)])
    const log = readFileSync(file('log'))
    await withSnapshot([])
    writeFileSync(file('log'), log)
    expect((await reopened()).entries).toEqual([])
  })

  it('is refused when it is damaged', async () => {
    await withSnapshot([])
    const bytes = readFileSync(file('snapshot'))
    bytes[50] ^= 1
    writeFileSync(file('snapshot'), bytes)
    expect(await corruption()).toMatchObject({ file: file('snapshot'), offset: 0 })
  })

  it('is refused when the log is gone', async () => {
    await withSnapshot([])
    rmSync(file('log'))
    expect((await corruption()).message).toMatch(/the file is missing, but there is a snapshot/)
  })

  it('is refused when the log begins after it', async () => {
    await withSnapshot([entry(3)])
    rmSync(file('snapshot'))
    expect((await corruption()).message).toMatch(/the log begins after entry 2, the snapshot ends at 0/)
  })
})
