import fs from 'node:fs'
import net from 'node:net'
import { describe, expect, it } from 'vitest'
import { runOne } from '../process/programs.test-support.ts'

/** What code does that was loaded outside of the tank, while a process of the tank runs it. */
const ESCAPES: Readonly<Record<string, () => unknown>> = {
  'a file written': () => fs.writeFileSync('/tmp/wavetank-must-not-be', 'x'),
  'a folder copied': () => fs.cpSync('/etc/ssl', '/tmp/wavetank-must-not-be', { recursive: true }),
  'a file read that is not of the project': () => fs.readFileSync('/etc/passwd'),
  'a text read that is not of the project': () => fs.readFileSync('/etc/passwd', 'utf8'),
  'a file read later that is not of the project': () => fs.readFile('/etc/passwd', () => {}),
  'a file written later': () => fs.writeFile('/tmp/wavetank-must-not-be', 'x', () => {}),
  'a folder listed': () => fs.readdirSync('/etc'),
  'a folder opened': () => fs.opendirSync('/etc'),
  'a server': () => net.createServer().listen(0),
}

describe('traps at the real machine', () => {
  it.each(Object.keys(ESCAPES))('catch %s', async (name) => {
    const { stdout } = await runOne(({ process }) => {
      try {
        ESCAPES[name]()
        process.stdout.write('escaped')
      } catch (error) {
        process.stdout.write((error as { code: string }).code)
      }
    })
    expect(stdout).toBe('ERR_WAVETANK_ESCAPE')
    expect(fs.existsSync('/tmp/wavetank-must-not-be')).toBe(false)
  })

  it('let the project be read', async () => {
    const { stdout } = await runOne(({ process }) => {
      process.stdout.write(String(JSON.parse(fs.readFileSync('package.json', 'utf8')).name))
    })
    expect(stdout).toBe('wavetank')
  })

  it('are gone when the world has paused', async () => {
    await runOne(() => {})
    expect(fs.readFileSync('/etc/passwd', 'utf8')).toContain('root')
  })
})
