/**
 * Knossos's own data: CAS registers, a multi-register and a mutex; the folder is the verdict. In Knossos's models a
 * read that returned nil saw an unknown value, so it matches every state: `nullReadMatchesAll`.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { casRegister, linearizable, multiRegister, mutex } from '../../src/checkers/linearizable/index.ts'
import { FAIL } from '../../src/history/history.ts'
import { parseHistory } from '../../src/history/index.ts'
import { describeOracles, filesUnder } from './folder.ts'

const models = {
  'cas-register': casRegister({ initial: 0, nullReadMatchesAll: true }),
  'multi-register': multiRegister({ initial: { x: 0, y: 0 }, nullReadMatchesAll: true }),
  mutex: mutex(),
}

describeOracles('knossos', (folder) => {
  const files = filesUnder(folder, /\.edn$/)

  it('are all here', () => {
    expect(files).toHaveLength(122)
  })

  for (const file of files) {
    const [model, folderName] = file.split('/') as [keyof typeof models, string]
    it(`${file} is ${folderName === 'good' ? 'linearizable' : 'not linearizable'}`, () => {
      const history = parseHistory(readFileSync(join(folder, file)), { format: 'jepsen-edn' })
      const result = linearizable(history, models[model])
      // Where every operation failed nothing was checked, so that Knossos' yes is an unknown here.
      const checked = history.type.some((type) => type !== FAIL)
      expect(result.verdict).toBe(folderName !== 'good' ? 'invalid' : checked ? 'valid' : 'unknown')
    })
  }
})
