import { describe, expect, it, vi } from 'vitest'
import { interruptible } from './interruption.ts'

describe('Ctrl-C', () => {
  it('raises the signal at first, and ends the process at once the second time', async () => {
    const exit = vi.spyOn(process, 'exit').mockImplementation((() => {}) as unknown as typeof process.exit)
    const said = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
    const before = process.listenerCount('SIGINT')
    const aborted = await interruptible(async (signal) => {
      process.emit('SIGINT', 'SIGINT')
      const once = [signal.aborted, exit.mock.calls.length]
      process.emit('SIGINT', 'SIGINT')
      process.emit('SIGTERM', 'SIGTERM')
      return once
    })
    const codes = exit.mock.calls.map(([code]) => code)
    const text = said.mock.calls.join('')
    vi.restoreAllMocks()
    expect(aborted).toEqual([true, 0])
    expect(codes).toEqual([130, 143])
    expect(text).toContain('Once more ends it at once')
    expect(process.listenerCount('SIGINT')).toBe(before)
  })
})
