/** Writes the finding of a scenario and the report of its session, each whole or not at all. */
import type { SessionResult } from '../run/session-result.ts'
import type { Session } from '../run/session.ts'
import { findingText } from './finding-text.ts'
import { reportText } from './report-text.ts'

export function writeFindings(session: Session, result: SessionResult, id: string): void {
  const scenario = result.scenarios.find((each) => each.id === id)!
  session.write(`findings/${id}.md`, findingText(result, scenario))
  session.write('findings/report.md', reportText(result))
}
