/**
 * An eval: a small project, a task for an agent, and what must come out, decided by code. An agent is any command that
 * takes a prompt; what it ran is seen by a log of its `npx wavetank` calls, what it said by its standard output.
 */

/** A call of wavetank that the agent made, and how it ended. */
export interface LoggedCall {
  readonly args: readonly string[]
  readonly exit: number
}

export interface Attempt {
  readonly calls: readonly LoggedCall[]
  /** What the agent printed. */
  readonly answer: string
  /** A file of the project after the attempt; null if it is not there. */
  read(path: string): string | null
}

export interface Expectation {
  /** Calls that must be there, in any order: the words of the command line, and the exit code if it matters. */
  readonly ran: readonly { readonly command: RegExp; readonly exit?: number }[]
  readonly neverRan?: readonly RegExp[]
  readonly says: readonly RegExp[]
  /** What must not be claimed. */
  readonly neverSays: readonly RegExp[]
  /** Files that must match after the attempt. */
  readonly files?: Readonly<Record<string, RegExp>>
  /** Files that must be as they were. */
  readonly untouched?: readonly string[]
}

/** What a stand-in for an agent does: commands, files it writes, and its answer. */
export interface Script {
  readonly commands: readonly string[]
  readonly writes?: Readonly<Record<string, string>>
  readonly answer: string
}

export interface EvalCase {
  readonly skill: string
  readonly name: string
  readonly prompt: string
  readonly files: Readonly<Record<string, string>>
  readonly expect: Expectation
  /** A stand-in that does the task as the skill says: it must pass. */
  readonly honest: Script
  /** A stand-in that claims what it did not do: it must not pass. */
  readonly cheat: Script
}
