// @ts-check
/**
 * Half-open ranges of keys: `start` belongs to a range, `end` does not, and an empty `end` is no bound.
 *
 * @import { Range } from './types.ts'
 */

/** @param {Range} range @param {string} key */
export function isIn({ start, end }, key) {
  return key >= start && (end === '' || key < end)
}

/** Whether it has room for a key. @param {Range} range */
export function isRange({ start, end }) {
  return end === '' || start < end
}

/** @param {Range} first @param {Range} second */
export function isBefore(first, second) {
  return first.end !== '' && first.end <= second.start
}
