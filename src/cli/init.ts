/** `wavetank init`: a configuration and a first simulation to change. It never overwrites a file. */
import type { Command } from 'commander'
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, parse } from './arguments.ts'

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
      await operation('get', {}, async () => {
        const response = await fetch(\`http://\${hosts.server[0]}:8080/\`, { signal: AbortSignal.timeout(1000) })
        return response.text()
      })
    },
  },
  invariants: {
    'the answer is hello': ({ events }) => {
      for (const { data } of events.fresh('operation')) {
        const { type, value } = data as { type: string; value: unknown }
        if (type === 'ok' && value !== 'hello') return \`it was \${value}\`
      }
      return true
    },
  },
})
`

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
  process.stdout.write('next: npx wavetank run first --level stormy\n')
  return 0
}
