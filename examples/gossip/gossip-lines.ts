/** The lines that a member prints, as invariants read them. */

export interface MemberLine {
  readonly type: 'member'
  readonly observer: string
  readonly id: string
  readonly incarnation: number
  readonly status: 'alive' | 'suspect' | 'dead' | 'left'
}

export interface DeliverLine {
  readonly type: 'deliver'
  readonly observer: string
  readonly id: string
}

/** With `--trace on`: how a probe ended, and how the member's health is after it. */
export interface ProbeLine {
  readonly type: 'probe'
  readonly observer: string
  readonly target: string
  readonly sequence: number
  readonly acknowledged: boolean
  readonly health: number
}

/** With `--trace on`. */
export interface RefuteLine {
  readonly type: 'refute'
  readonly observer: string
  readonly incarnation: number
  readonly health: number
}

export type Line = MemberLine | DeliverLine | ProbeLine | RefuteLine

export function lineOf(text: string): Line | null {
  return text.startsWith('{') ? (JSON.parse(text) as Line) : null
}
