// @ts-check
/**
 * What the workers scan: generated records, some of which contain a token that must not be there. The same seed always
 * makes the same records, so the list of what was planted is the truth that the findings are compared with.
 */

/** @typedef {{ seed: number, count: number }} DataSet */

const PLANTED = /\btoken-[0-9a-f]{8}\b/

/** @param {number} number */
export const keyOf = (number) => `k${String(number).padStart(5, '0')}`

/** The records of a range in the order of their keys. @param {DataSet} set @param {{ start: string, end: string }} range @param {string | null} after only those after this key @param {number} most */
export function recordsOf({ seed, count }, { start, end }, after, most) {
  const records = []
  for (let number = 0; number < count && records.length < most; number++) {
    const key = keyOf(number)
    const inside = key >= start && (end === '' || key < end) && (after === null || key > after)
    if (inside) records.push({ key, text: textOf(seed, number) })
  }
  return records
}

/** Whether a record contains what is looked for. @param {string} text */
export const isFinding = (text) => PLANTED.test(text)

/** The keys of all records with a planted token. @param {DataSet} set */
export function truthOf({ seed, count }) {
  return Array.from({ length: count }, (_, number) => number)
    .filter((number) => isPlanted(seed, number))
    .map(keyOf)
}

/** @param {number} seed @param {number} number */
function isPlanted(seed, number) {
  return mix(seed, number) % 5 === 0
}

/** @param {number} seed @param {number} number */
function textOf(seed, number) {
  const noise = mix(seed + 1, number)
    .toString(16)
    .padStart(8, '0')
  return isPlanted(seed, number) ? `user ${number} has token-${noise}` : `user ${number} has token ${noise}`
}

/** @param {number} seed @param {number} number */
function mix(seed, number) {
  let value = Math.imul(seed ^ 0x9e3779b9, 0x85ebca6b) ^ Math.imul(number + 1, 0xc2b2ae35)
  value = Math.imul(value ^ (value >>> 15), 0x2c1b3c6d)
  return (value ^ (value >>> 13)) >>> 0
}
