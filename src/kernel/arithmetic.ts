/**
 * The pure functions of `Math`, taken when the program starts. While a world runs, the global `Math` is the one of
 * whatever simulated process is running (its `random` is), found through an accessor: too slow for code that runs in
 * every step, and not ours.
 */
export const { abs, ceil, clz32, floor, imul, max, min, round, trunc } = Math
