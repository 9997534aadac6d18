/** Nine classes of identifiers that one part of a system takes for the same and another does not. For boundary matrices. */
import type { Catalogue, Entry } from './entry.ts'

export interface ConfusableIdentifier extends Entry {
  readonly example: string
}

const ROWS: readonly (readonly [id: string, title: string, text: string, example: string])[] = [
  [
    'same-name-other-scope',
    'Same name in another scope',
    'Two tenants, databases or regions use one name.',
    'orders of tenant a, orders of tenant b',
  ],
  [
    'prefix',
    'Prefix of another',
    'A scan or a permission by prefix reaches more than meant.',
    'team, team-admin',
  ],
  ['case-folding', 'Case', 'One layer folds case, the next does not.', 'Alice, alice'],
  ['separators', 'Separators', 'Joined keys collide.', 'a:b + c, a + b:c'],
  ['trailing-whitespace', 'White space at the end', 'One layer trims.', '"key", "key "'],
  [
    'recycled-id',
    'Recycled id',
    'An id is given out again after its owner is gone.',
    'a user id after deletion',
  ],
  [
    'off-by-one-range',
    'Edge of a range',
    'Neighbours differ on whether the bound is included.',
    'the last key of [a, m) and the first of [m, z)',
  ],
  ['integer-overflow', 'Overflow', 'Two numbers become one after rounding or wrapping.', '2^53, 2^53 + 1'],
  [
    'unicode-normalisation',
    'Unicode normalisation',
    'Two code point sequences are one name after normalising.',
    'é as one code point, é as two',
  ],
]

export const CONFUSABLE_IDENTIFIERS: readonly ConfusableIdentifier[] = ROWS.map(
  ([id, title, text, example]) => ({
    id,
    title,
    text,
    example,
    references: ['Unicode Technical Report 36: Unicode Security Considerations'],
  }),
)

export const CONFUSABLE_CATALOGUE: Catalogue<ConfusableIdentifier> = {
  kind: 'confusable-identifiers',
  title: 'Confusable identifiers',
  about: 'Identifiers to try on both sides of a boundary.',
  entries: CONFUSABLE_IDENTIFIERS,
  details: ({ example }) => [['example', example]],
}
