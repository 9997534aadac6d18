/**
 * `wavetank init`: a configuration, a first simulation, and a line in `.gitignore` for what runs leave behind. The
 * simulation is of the project's own program, as `wavetank scaffold simulation` writes it; of a small server to change
 * where there is none to be found. It overwrites nothing, and adds no simulation to a project that has one.
 */
import type { Command } from 'commander'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { simulationFiles } from '../../host/project.ts'
import { describe, parse } from '../arguments.ts'
import { questionsFor } from '../scaffold/questions.ts'
import { scaffoldSimulation, withSimulationOptions, type SimulationOptions } from '../scaffold/simulation.ts'

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
  return withSimulationOptions(describe('init'))
}

export async function run(args: readonly string[]): Promise<number> {
  const given = parse(command(), args)
  if (given === null) return 0
  // It may ask first, and nothing is written if a person ends it there.
  const simulation = await firstSimulation(given.opts<SimulationOptions>())
  const lines = [writeIfNew('wavetank.config.ts', CONFIG), ...simulation]
  const ignored = `${ignoreRuns(join(process.cwd(), '.gitignore')) ? 'wrote' : 'kept'} .gitignore`
  process.stdout.write(`${[...lines.slice(0, -1), ignored, ...lines.slice(-1)].join('\n')}\n`)
  return 0
}

/** What was done, in lines; the last one says what to do next. */
async function firstSimulation(options: SimulationOptions): Promise<readonly string[]> {
  const [known] = simulationFiles([process.cwd()])
  if (known !== undefined && options.entry === undefined) {
    const name = basename(known)
    return [`kept ${name}`, `next: npx wavetank run ${name.replace(/\.sim\.\w+$/, '')} --level stormy`]
  }
  const written = await scaffoldSimulation(options, questionsFor(options))
  if (written !== null) return written.lines
  return [
    `${writeIfNew('first.sim.ts', SIMULATION)}: no program was found here, so it has a server of its own`,
    'next: npx wavetank run first --level stormy',
  ]
}

function writeIfNew(name: string, text: string): string {
  const path = join(process.cwd(), name)
  const kept = existsSync(path)
  if (!kept) writeFileSync(path, text)
  return `${kept ? 'kept' : 'wrote'} ${name}`
}

/** Adds {@link IGNORED} to a list of ignored files; false if it is there already. */
function ignoreRuns(file: string): boolean {
  const text = existsSync(file) ? readFileSync(file, 'utf8') : ''
  if (text.split(/\r?\n/).some((line) => /^\/?\.wavetank\/?$/.test(line.trim()))) return false
  writeFileSync(file, `${text}${text === '' || text.endsWith('\n') ? '' : '\n'}${IGNORED}\n`)
  return true
}
