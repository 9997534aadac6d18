/**
 * `wavetank init`: a configuration, a first simulation to change, and a line in `.gitignore` for what runs leave behind.
 * It overwrites nothing.
 */
import type { Command } from 'commander'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, parse } from '../arguments.ts'

const CONFIG = `import { defineConfig } from 'wavetank'

export default defineConfig({
  level: 'stormy',
})
`

const SIMULATION = `// Run with: npx wavetank run first --level stormy
import { simulation } from 'wavetank'

export default simulation('first', {
  processes: {
    // Your own program: an entry file, or a function.
    server: {
      async run() {
        const { createServer } = await import('node:http')
        createServer((request, response) => response.end('hello')).listen(8080)
      },
    },
  },
  workload: {
    clients: 2,
    async run({ operation, hosts }) {
      await operation('get', async () => {
        const response = await fetch(\`http://\${hosts.server[0]}:8080/\`, { signal: AbortSignal.timeout(1000) })
        return response.text()
      })
    },
  },
  invariants: {
    'the answer is hello': ({ events }) => {
      for (const { data } of events.fresh('operation')) {
        if (data.type === 'ok' && data.value !== 'hello') return \`it was \${data.value}\`
      }
      return true
    },
  },
})
`

/** Where runs and races keep their failures. */
const IGNORED = '.wavetank/'

export function command(): Command {
  return describe('init')
}

export async function run(args: readonly string[]): Promise<number> {
  const given = parse(command(), args)
  if (given === null) return 0
  for (const [name, text] of [
    ['wavetank.config.ts', CONFIG],
    ['first.sim.ts', SIMULATION],
  ] as const) {
    const path = join(process.cwd(), name)
    const kept = existsSync(path)
    if (!kept) writeFileSync(path, text)
    process.stdout.write(`${kept ? 'kept' : 'wrote'} ${name}\n`)
  }
  process.stdout.write(`${ignoreRuns(join(process.cwd(), '.gitignore')) ? 'wrote' : 'kept'} .gitignore\n`)
  process.stdout.write('next: npx wavetank run first --level stormy\n')
  return 0
}

/** Adds {@link IGNORED} to a list of ignored files; false if it is there already. */
function ignoreRuns(file: string): boolean {
  const text = existsSync(file) ? readFileSync(file, 'utf8') : ''
  if (text.split(/\r?\n/).some((line) => /^\/?\.wavetank\/?$/.test(line.trim()))) return false
  writeFileSync(file, `${text}${text === '' || text.endsWith('\n') ? '' : '\n'}${IGNORED}\n`)
  return true
}
