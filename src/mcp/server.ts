/**
 * The MCP server: {@link TOOLS} over the official SDK. Each call runs one command in the project's folder. A refusal of
 * the command (wrong usage, a path outside) is an error of the tool with the reason; a violated simulation is no error,
 * it is the answer.
 */
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import type { CallToolResult, ServerNotification, ServerRequest } from '@modelcontextprotocol/sdk/types.js'
import type { RequestHandlerExtra } from '@modelcontextprotocol/sdk/shared/protocol.js'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { writeWhole } from '../failures/whole-file.ts'
import { VERSION } from '../failures/version.ts'
import { UsageError } from '../kernel/errors.ts'
import { ANSWER_SCHEMA, limited, parsed, type Answer } from './answer.ts'
import { runChild } from './child-command.ts'
import { ProjectPaths } from './project-paths.ts'
import type { Tool, ToolInput } from './tool.ts'
import { TOOLS } from './tools.ts'

export interface ServerOptions {
  readonly root: string
  /** Arguments of `node` that run the command line. */
  readonly cli: readonly string[]
  /** What an exit code of a command means. */
  readonly meaning: (command: string, code: number) => string
}

type Extra = RequestHandlerExtra<ServerRequest, ServerNotification>

const INSTRUCTIONS =
  'wavetank runs Node.js programs in a deterministic world with faults and checks what they promise. ' +
  'A pass may be claimed only for exit code 0; 2 means that too little was shown. ' +
  'A failure has a trace: tell its story, shrink it, fix the program, replay it.'

/** How many answers that were too long are kept. */
const KEPT_ANSWERS = 20

export function createServer({ root, cli, meaning }: ServerOptions): McpServer {
  const server = new McpServer({ name: 'wavetank', version: VERSION }, { instructions: INSTRUCTIONS })
  const paths = new ProjectPaths(root)
  let kept = 0
  const keep = (whole: string): string => {
    const folder = join(paths.root, '.wavetank/mcp')
    mkdirSync(folder, { recursive: true })
    const name = `answer-${(kept++ % KEPT_ANSWERS) + 1}.txt`
    writeWhole(join(folder, name), whole)
    return `.wavetank/mcp/${name}`
  }
  for (const tool of TOOLS) {
    const { name, title, description, input: inputSchema, readOnly } = tool
    const annotations = { readOnlyHint: readOnly, destructiveHint: false, openWorldHint: false }
    const shape = { title, description, inputSchema, outputSchema: ANSWER_SCHEMA, annotations }
    server.registerTool(name, shape, async (input, extra) => {
      try {
        const answer = await ask(tool, input as ToolInput, extra)
        return resultOf(limited(answer, keep))
      } catch (error) {
        if (error instanceof UsageError) return refusal(error.message)
        throw error
      }
    })
  }
  return server

  async function ask(tool: Tool, input: ToolInput, extra: Extra): Promise<Answer> {
    const args = tool.command(input, paths)
    const progress = progressOf(extra)
    const { code, stdout, stderr } = await runChild([...cli, ...args], {
      folder: paths.root,
      signal: extra.signal,
      onLine: progress,
    })
    const notes = stderr.trim() === '' ? {} : { notes: stderr.trim().slice(-4000) }
    const json = parsed(stdout)
    const printed = json === null ? { text: stdout } : { result: tool.select?.(json, input) ?? json }
    const command = `npx wavetank ${args.map(quoted).join(' ')}`
    const means = code === null ? 'cancelled: nothing was shown' : meaning(args[0], code)
    return { exitCode: code, meaning: means, command, ...printed, ...notes }
  }
}

function resultOf(answer: Answer): CallToolResult {
  const isError = answer.exitCode !== null && answer.exitCode >= 254
  return {
    structuredContent: answer,
    content: [{ type: 'text', text: isError ? `${answer.meaning}: ${answer.notes ?? ''}` : textOf(answer) }],
    isError,
  }
}

function textOf({ meaning, exitCode, command, text, result, notes }: Answer): string {
  const head = `${meaning} (exit code ${exitCode ?? 'none'})\n${command}`
  return [head, text ?? JSON.stringify(result, null, 1), notes ?? '']
    .filter((part) => part !== '')
    .join('\n\n')
}

function refusal(text: string): CallToolResult {
  return { content: [{ type: 'text', text }], isError: true }
}

/** Sends each line as a progress notification, if the client asked for progress. */
function progressOf({ _meta, sendNotification }: Extra): (line: string) => void {
  const progressToken = _meta?.progressToken
  if (progressToken === undefined) return () => {}
  let progress = 0
  return (message) => {
    const params = { progressToken, progress: ++progress, message }
    // A client that has gone hears nothing; its signal ends the command.
    void sendNotification({ method: 'notifications/progress', params }).catch(() => {})
  }
}

function quoted(arg: string): string {
  return /^[\w./:=,@~^-]+$/.test(arg) ? arg : `'${arg.replace(/'/g, `'\\''`)}'`
}
