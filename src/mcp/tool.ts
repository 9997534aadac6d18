/**
 * A tool of the MCP server: a question that a command of wavetank answers. The server runs the command line as a child
 * process, so that a tool says exactly what a person would see, a long run can be cancelled, and nothing that a program
 * prints gets into the protocol.
 */
import type { ZodRawShape } from 'zod'
import type { ProjectPaths } from './project-paths.ts'

/** What the schema of a tool has let through. */
export type ToolInput = Readonly<Record<string, string | number | boolean | readonly string[] | undefined>>

export interface Tool {
  readonly name: string
  readonly title: string
  /** For the agent: what it answers, and when to ask it. */
  readonly description: string
  readonly input: ZodRawShape
  /** True if it changes no file of the project but those that wavetank keeps for itself. */
  readonly readOnly: boolean
  /** The command line. Every path goes through `paths`, which refuses what lies outside the project. */
  command(input: ToolInput, paths: ProjectPaths): readonly string[]
  /** Takes from the JSON that the command printed what was asked for; by default all of it. */
  select?(answer: unknown, input: ToolInput): unknown
}
