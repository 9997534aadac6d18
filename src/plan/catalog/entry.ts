/**
 * What every catalogue is made of. An entry has an id that plans link to, a title, one paragraph in plain words and the
 * sources it rests on. Kinds add columns of their own; `details` prints them in a fixed order.
 */

export interface Entry {
  /** Kebab-case, stable: plans and reports refer to it. */
  readonly id: string
  readonly title: string
  readonly text: string
  /** Papers, books and reports: author, title, year. */
  readonly references: readonly string[]
}

/** A labelled line under an entry: `catches`, `landing evidence`, … */
export type Detail = readonly [label: string, text: string]

export interface Catalogue<E extends Entry = Entry> {
  /** Plural, kebab-case: the `kind` of `wavetank catalog <kind>`. */
  readonly kind: string
  readonly title: string
  /** What the entries are for, in one sentence. */
  readonly about: string
  readonly entries: readonly E[]
  details(entry: E): readonly Detail[]
}
