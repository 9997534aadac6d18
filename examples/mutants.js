/**
 * Mutants: places in the example systems where one guard can be removed. `mutant('vote-before-sync')` is false unless
 * the environment variable WAVETANK_MUTANT has that name, so the code that ships and the code that is broken on purpose
 * are the same files. The variable is read once; when it is not set, a call compares a string with undefined.
 */
const active = process.env.WAVETANK_MUTANT

export const mutant = (/** @type {string} */ name) => name === active
