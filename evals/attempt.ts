/** One attempt: a project in a folder of its own, an agent or a stand-in at work in it, and what it left. */
import { spawn } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Attempt, EvalCase, LoggedCall, Script } from './case.ts'

const ROOT = fileURLToPath(new URL('..', import.meta.url)).replace(/\/$/, '')
const LOG = '.wavetank-eval.jsonl'

/** Stands for `wavetank` in a project: runs it, and writes down how it was called and how it ended. */
const SHIM = `#!/usr/bin/env node
import { spawnSync } from 'node:child_process'
import { appendFileSync } from 'node:fs'
const args = process.argv.slice(2)
const { status } = spawnSync(process.execPath, [${JSON.stringify(join(ROOT, 'dist/cli/main.js'))}, ...args], { stdio: 'inherit' })
appendFileSync(process.env.WAVETANK_EVAL_LOG, JSON.stringify({ args, exit: status ?? 255 }) + '\\n')
process.exitCode = status ?? 255
`

/** Where an attempt takes place; `remove` ends it. */
export class Workplace {
  readonly folder = mkdtempSync(join(tmpdir(), 'wavetank-eval-'))

  constructor({ files }: EvalCase) {
    this.write({
      'package.json': '{ "name": "shop", "type": "module" }',
      '.gitignore': 'node_modules\n',
      ...files,
    })
    const bin = join(this.folder, 'node_modules/.bin')
    mkdirSync(bin, { recursive: true })
    symlinkSync(ROOT, join(this.folder, 'node_modules/wavetank'))
    writeFileSync(join(bin, 'wavetank.mjs'), SHIM)
    chmodSync(join(bin, 'wavetank.mjs'), 0o755)
    symlinkSync('wavetank.mjs', join(bin, 'wavetank'))
  }

  write(files: Readonly<Record<string, string>>): void {
    for (const [name, text] of Object.entries(files)) {
      const path = join(this.folder, name)
      mkdirSync(dirname(path), { recursive: true })
      writeFileSync(path, text)
    }
  }

  /** Runs a command line of a shell in the project; resolves to what it printed. */
  run(command: string, timeoutMs: number, quietly = false): Promise<string> {
    const path = `${join(this.folder, 'node_modules/.bin')}${delimiter}${process.env.PATH}`
    const env = { ...process.env, PATH: path, WAVETANK_EVAL_LOG: join(this.folder, LOG), NO_COLOR: '1' }
    const child = spawn(command, {
      cwd: this.folder,
      shell: true,
      env,
      timeout: timeoutMs,
      stdio: ['ignore', 'pipe', quietly ? 'ignore' : 'inherit'],
    })
    let printed = ''
    child.stdout.setEncoding('utf8').on('data', (text: string) => (printed += text))
    return new Promise((resolve, reject) => {
      child.on('error', reject)
      child.on('close', () => resolve(printed))
    })
  }

  /** What a stand-in does. */
  async play({ commands, writes, answer }: Script, timeoutMs: number): Promise<Attempt> {
    this.write(writes ?? {})
    for (const command of commands) await this.run(command, timeoutMs, true)
    return this.attempt(answer)
  }

  attempt(answer: string): Attempt {
    const log = join(this.folder, LOG)
    const lines = existsSync(log) ? readFileSync(log, 'utf8').trim().split('\n') : []
    const read = (path: string): string | null => {
      const file = join(this.folder, path)
      return existsSync(file) ? readFileSync(file, 'utf8') : null
    }
    return { calls: lines.map((line) => JSON.parse(line) as LoggedCall), answer, read }
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true })
  }
}
