import { readFileSync } from 'node:fs'
import { describe, expect, it, vi } from 'vitest'
import { FAULTS } from '../../faults/catalogue.ts'
import { faultsMarkdown } from '../../report/fault-text.ts'
import { run } from './faults.ts'

async function output(...args: string[]): Promise<string> {
  let text = ''
  const write = vi
    .spyOn(process.stdout, 'write')
    .mockImplementation((chunk) => ((text += String(chunk)), true))
  try {
    expect(await run(args)).toBe(0)
  } finally {
    write.mockRestore()
  }
  return text
}

describe('wavetank faults', () => {
  it('lists every fault with its group and one sentence', async () => {
    const lines = (await output()).trimEnd().split('\n').slice(1)
    expect(lines.map((line) => line.split(/\s+/, 2))).toEqual(FAULTS.map(({ name, group }) => [name, group]))
  })

  it('shows one fault with its evidence, its limits, its rates and its parameters', async () => {
    const text = await output('loss')
    expect(text).toContain('landed: packets that were lost')
    expect(text).toContain('limits: ')
    expect(text).toContain('stormy: in every 1000 ms with probability 0.2, for 200 to 3000 ms')
    expect(text).toContain('parameter percent: 10 to 30 %; share of packets that are lost')
  })

  it('has everything as JSON', async () => {
    const all = JSON.parse(await output('--json')) as { name: string }[]
    expect(all.map(({ name }) => name)).toEqual(FAULTS.map(({ name }) => name))
    const one = JSON.parse(await output('pause', '--json')) as Record<string, unknown>
    expect(one).toMatchObject({ name: 'pause', rates: { sunny: null, stormy: { everyMs: 1000 } } })
  })

  it('refuses a fault that does not exist, with the nearest one', async () => {
    await expect(run(['partitoin'])).rejects.toThrow(
      'there is no fault "partitoin"; did you mean "partition"?',
    )
  })

  it('is what docs/faults.md says', () => {
    const page = readFileSync(new URL('../../../docs/faults.md', import.meta.url), 'utf8')
    expect(page, 'run: npx wavetank faults --markdown > docs/faults.md').toBe(faultsMarkdown(FAULTS))
  })
})
