/**
 * Which process runs a session. A session that is still running is not run twice, and what a session that was killed has
 * left running is ended before it goes on: it would write beside the new attempt, and a command that hangs would hang for
 * ever. Processes are known by a line of their environment, from /proc; elsewhere nothing is known of them.
 */
import { existsSync, readFileSync } from 'node:fs'
import { UsageError } from '../../kernel/errors.ts'
import { isAlive, processesWith, processId, type ProcessId } from '../../real/cluster/process-state.ts'
import { hashOf, type Session } from './session.ts'

const VARIABLE = 'WAVETANK_SESSION_ID'
const FILE = 'owner.json'

/** From now on the session is this process's; returns how many processes were left of an earlier one. */
export function takeOver(session: Session): number {
  const owner = ownerOf(session)
  if (owner !== null && owner.pid !== process.pid && isAlive(owner))
    throw new UsageError(
      'ERR_WAVETANK_SESSION',
      `plan: process ${owner.pid} is still running the session ${session.folder}; wait for it, or end it`,
    )
  const id = hashOf(session.folder)
  const left = existsSync('/proc') ? processesWith(`${VARIABLE}=${id}`) : []
  for (const pid of left) kill(pid)
  session.write(FILE, `${JSON.stringify(processId(process.pid))}\n`)
  process.env[VARIABLE] = id
  return left.length
}

function ownerOf(session: Session): ProcessId | null {
  try {
    return JSON.parse(readFileSync(session.path(FILE), 'utf8')) as ProcessId | null
  } catch {
    return null // of a session that never began
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // It has ended by itself.
  }
}
