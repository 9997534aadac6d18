import { describe, expect, it } from 'vitest'
import { runOne } from '../process/programs.test-support.ts'

describe.skipIf(!('sessionStorage' in globalThis))('sessionStorage, where this Node has it', () => {
  const show = async (): Promise<string> => {
    const { stdout, stderr } = await runOne(({ process, globalThis: own }) => {
      const { sessionStorage, Storage } = own as any
      const before = sessionStorage.length
      sessionStorage.setItem('colour', 'red')
      sessionStorage.size = 3
      process.stdout.write(
        `${before} ${sessionStorage.getItem('colour')} ${sessionStorage.size} ${sessionStorage instanceof Storage}`,
      )
    })
    expect(stderr).toBe('')
    return stdout
  }

  it('belongs to a process, and dies with it', async () => {
    expect(await show()).toBe('0 red 3 true')
    expect(await show()).toBe('0 red 3 true')
  })
})
