/**
 * Who has which role now, such as `leader`: asked of the simulation's own functions at the moment a fault looks for its
 * target. They read what was published and must change nothing.
 */
import type { Role } from '../authoring/definition.ts'
import { EventCursor, type EventLog } from '../authoring/event-log.ts'

export class Roles {
  private readonly events: EventLog
  private readonly roles: Readonly<Record<string, Role>>
  private readonly broken: (role: string, error: unknown) => void

  constructor(
    events: EventLog,
    roles: Readonly<Record<string, Role>>,
    broken: (role: string, error: unknown) => void,
  ) {
    this.events = events
    this.roles = roles
    this.broken = broken
  }

  /** The names of the processes that have a role; none if the role does not exist. */
  holders(role: string): readonly string[] {
    const { [role]: find } = this.roles
    if (find === undefined) return []
    const events = new EventCursor(this.events)
    events.advance()
    try {
      const found = find({ events })
      return found === null || found === undefined ? [] : typeof found === 'string' ? [found] : found
    } catch (error) {
      this.broken(role, error)
      return []
    }
  }
}
