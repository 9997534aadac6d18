/**
 * `wavetank mcp`: a Model Context Protocol server on standard input and output, for coding agents. The SDK is an optional
 * peer dependency, loaded here and nowhere else.
 */
import type { Command } from 'commander'
import { resolve } from 'node:path'
import { projectRoot } from '../../host/project.ts'
import { UsageError } from '../../kernel/errors.ts'
import { describe, parse } from '../arguments.ts'
import { exitMeaning } from '../commands.ts'

export function command(): Command {
  return describe('mcp').option(
    '--root <folder>',
    'the project; by default the one around the working directory',
  )
}

export async function run(args: readonly string[]): Promise<number> {
  const given = parse(command(), args)
  if (given === null) return 0
  const { root } = given.opts<{ root?: string }>()
  const { createServer, StdioServerTransport } = await load()
  const server = createServer({
    root: root === undefined ? projectRoot(process.cwd()) : resolve(root),
    cli: [...process.execArgv, process.argv[1]],
    meaning: exitMeaning,
  })
  const closed = new Promise<void>((done) => (server.server.onclose = done))
  process.stdin.on('end', () => void server.close())
  await server.connect(new StdioServerTransport())
  process.stderr.write('wavetank: MCP server ready on standard input and output\n')
  await closed
  return 0
}

async function load() {
  try {
    const { StdioServerTransport } = await import('@modelcontextprotocol/sdk/server/stdio.js')
    const { createServer } = await import('../../mcp/server.ts')
    return { createServer, StdioServerTransport }
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (code !== 'ERR_MODULE_NOT_FOUND' || !message.includes('@modelcontextprotocol/sdk')) throw error
    throw new UsageError(
      'ERR_WAVETANK_MCP_SDK',
      'mcp: it needs the package @modelcontextprotocol/sdk; npm install --save-dev @modelcontextprotocol/sdk installs it',
      { cause: error },
    )
  }
}
