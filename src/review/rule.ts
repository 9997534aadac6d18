/**
 * A rule: what it looks for, why that matters, what to write instead, and the function that finds it in one file. A rule
 * is worth its place if nearly every finding is one that an engineer would change, so each says what it lets pass.
 */
import type { Severity } from './finding.ts'
import type { Node, SourceFile } from './syntax.ts'

export interface Hit {
  readonly node: Node
  /** What stands there, in one sentence. */
  readonly found: string
}

/** What a rule may ask about the project around a file. */
export interface Surroundings {
  /** The native addon that an imported package has, in words; null if it has none or is not installed. */
  nativeAddon(specifier: string, importer: string): string | null
}

export interface Rule {
  readonly name: string
  readonly severity: Severity
  /** What it looks for, in one sentence. */
  readonly text: string
  readonly why: string
  readonly fix: string
  find(file: SourceFile, surroundings: Surroundings): Iterable<Hit>
}
