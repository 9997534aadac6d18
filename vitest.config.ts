import { configDefaults, defineConfig } from 'vitest/config'

const source = (path: string) => new URL(`src/${path}`, import.meta.url).pathname

const EVERYWHERE = '{src,test,examples,bench}/**/*.test.ts'

/** Rooms whose tests start no world of their own: their files share a process, which saves a third of their time. */
const PURE = 'src/{checkers,failures,faults,history,kernel,plan,report,review,scaffold,world}/**/*.test.ts'

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
    pool: 'forks',
    testTimeout: 60_000,
    hookTimeout: 60_000,
    projects: [
      { extends: true, test: { name: 'pure', include: [PURE], isolate: false } },
      {
        extends: true,
        test: { name: 'worlds', include: [EVERYWHERE], exclude: [...configDefaults.exclude, PURE] },
      },
    ],
  },
})
