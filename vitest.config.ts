import { defineConfig } from 'vitest/config'

const source = (path: string) => new URL(`src/${path}`, import.meta.url).pathname

export default defineConfig({
  // Tests import the package by name, as users do, and get its sources.
  resolve: {
    alias: [
      { find: /^wavetank$/, replacement: source('index.ts') },
      { find: /^wavetank\/(vitest|node-test)$/, replacement: source('runners/$1.ts') },
      { find: /^wavetank\/(history|checkers)$/, replacement: source('$1/index.ts') },
      { find: /^wavetank\/(workloads|invariants)$/, replacement: source('sim/$1/index.ts') },
      { find: /^wavetank\/maelstrom$/, replacement: source('maelstrom/node-library/index.ts') },
      { find: /^wavetank\/maelstrom\/simulation$/, replacement: source('maelstrom/simulation.ts') },
      { find: /^wavetank\/explore$/, replacement: source('host/explore.ts') },
    ],
  },
  test: {
    include: ['{src,test,examples,bench}/**/*.test.ts'],
    pool: 'forks',
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
})
