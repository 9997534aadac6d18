/**
 * Runs many seeds of a simulation in one thread and prints the heap after a collection, as JSON: one sample per batch.
 *
 *   node --expose-gc memory-of-seeds.mjs INDEX FILE SEEDS SAMPLES
 */
const [index, file, seeds, samples] = process.argv.slice(2)
const { simulate } = await import(index)
const batch = Math.floor(Number(seeds) / Number(samples))

const heapMb = []
for (let i = 0; i < Number(samples); i++) {
  await simulate(file, { firstSeed: 1 + i * batch, seeds: batch, jobs: 0, level: 'stormy' })
  // What a world leaves behind may wait for finalizers: give them turns of the loop between collections.
  for (let turn = 0; turn < 4; turn++) {
    globalThis.gc()
    await new Promise((resolve) => setImmediate(resolve))
  }
  const { heapUsed, external } = process.memoryUsage()
  heapMb.push(Number(((heapUsed + external) / 2 ** 20).toFixed(2)))
}
console.log(JSON.stringify({ batch, heapMb, rssMb: Math.round(process.memoryUsage().rss / 2 ** 20) }))
