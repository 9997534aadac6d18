/** One thing that the doctor has looked at. */
export interface Finding {
  readonly name: string
  readonly present: boolean
  /** What it is needed for. */
  readonly purpose: string
  /** The Debian package that has it; null if no package helps. */
  readonly package: string | null
  /** What is missing, or where it was found. */
  readonly detail: string
  /** Without it nothing real runs. */
  readonly required: boolean
  /** What it belongs to: every real test, a backend, a system of examples/real, or faults of one kind. */
  readonly part: 'all' | 'backend' | 'system' | 'faults'
}
