/** A gap in a plan: which rule, which section, which line, and what to do about it. */
export interface Problem {
  readonly rule: string
  readonly section: string
  readonly line: number
  readonly message: string
}
