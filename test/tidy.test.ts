/**
 * Style as a test. Each rule names what to use instead, so that a failure is also the instruction. The rules:
 *
 * - a layer imports only from layers before it (docs/architecture.md gives the order);
 * - deterministic layers touch no real clock, randomness, timer or environment;
 * - what runs inside a world has its arithmetic from the kernel, not from the running process's `Math`;
 * - no file is called utils, helpers, common or misc; names are kebab-case;
 * - no focused or disabled test without a reason beside it.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { describe, expect, it } from 'vitest'

const ROOT = new URL('..', import.meta.url).pathname
const SRC = join(ROOT, 'src')

/** In the order in which a newcomer can read them. */
const LAYERS = [
  'kernel',
  'world',
  'node',
  'history',
  'checkers',
  'faults',
  'sim',
  'explore',
  'maelstrom',
  'real',
  'plan',
  'report',
  'viewer',
  'cli',
]

/** Folders whose code runs inside a world, or decides what happens in one. */
const DETERMINISTIC = new Set(['kernel', 'world', 'faults', 'sim', 'explore'])

interface Ban {
  readonly pattern: RegExp
  readonly instead: string
}

const BANS: readonly Ban[] = [
  { pattern: /\bDate\.now\(|\bnew Date\(\)/, instead: 'kernel.now, or a Clock given from outside' },
  { pattern: /\bMath\.random\(/, instead: 'choices.stream(entity, label) for decisions, Entropy for values' },
  { pattern: /\bperformance\.now\(|\bprocess\.hrtime/, instead: 'kernel.now, or a Clock given from outside' },
  { pattern: /\b(setTimeout|setInterval)\(/, instead: 'kernel.schedule(actor, kind, delayUs, run)' },
  { pattern: /\bprocess\.env\b/, instead: 'an option; only src/cli reads the environment' },
  { pattern: /\brandomUUID\(|\brandomBytes\(/, instead: 'Entropy' },
]

/**
 * Where the real thing is the point. Every entry has its reason, and must still be needed.
 */
const ALLOWED: Readonly<Record<string, string>> = {}

/** Files that mean the host's `Math`, each with its reason. */
const TAKES_MATH: Readonly<Record<string, string>> = {
  'src/node/globals/math.ts': 'makes the simulated one of it',
  'src/node/kept-results.ts': 'names a file of the host at random',
}

function sources(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((file) => !file.includes('/fixtures/'))
    .sort()
}

/** The code of a file without comments, line numbers kept. */
function code(file: string): string[] {
  return readFileSync(file, 'utf8')
    .replace(/\/\*[\s\S]*?\*\//g, (comment) => comment.replace(/[^\n]/g, ' '))
    .split('\n')
    .map((line) => line.replace(/(^|[^:'"`])\/\/.*$/, '$1'))
}

function layerOf(file: string): string {
  return relative(SRC, file).split('/')[0]
}

describe('tidy', () => {
  const files = sources(SRC)

  it('finds the sources', () => {
    expect(files.length).toBeGreaterThan(10)
  })

  it('keeps the import direction between layers', () => {
    const wrong: string[] = []
    for (const file of files) {
      const layer = LAYERS.indexOf(layerOf(file))
      if (layer < 0) continue // entry files such as src/index.ts see everything
      code(file).forEach((line, index) => {
        const target = /(?:from|import\()\s*['"](\.[^'"]+)['"]/.exec(line)?.[1]
        if (target === undefined) return
        const targetLayer = LAYERS.indexOf(layerOf(join(file, '..', target)))
        if (targetLayer > layer) {
          wrong.push(
            `${relative(ROOT, file)}:${index + 1} ${LAYERS[layer]} imports from ${LAYERS[targetLayer]}, which stands above it: move the shared part down, or hand it in as an argument`,
          )
        }
      })
    }
    expect(wrong).toEqual([])
  })

  it('keeps real clocks, randomness, timers and environment out of deterministic layers', () => {
    const wrong: string[] = []
    const used = new Set<string>()
    for (const file of files) {
      if (!DETERMINISTIC.has(layerOf(file)) || /\.(test|contract)\.ts$/.test(file)) continue
      const name = relative(ROOT, file)
      code(file).forEach((line, index) => {
        for (const { pattern, instead } of BANS) {
          if (!pattern.test(line)) continue
          if (ALLOWED[name] !== undefined) used.add(name)
          else
            wrong.push(`${name}:${index + 1} ${pattern.exec(line)![0]} is not deterministic: use ${instead}`)
        }
      })
    }
    expect(wrong).toEqual([])
    expect([...used]).toEqual(Object.keys(ALLOWED))
  })

  it('takes arithmetic from the kernel where the global Math is a simulated process’s', () => {
    const wrong: string[] = []
    for (const file of files) {
      const layer = layerOf(file)
      if (layer !== 'node' && !DETERMINISTIC.has(layer)) continue
      const name = relative(ROOT, file)
      if (/\.test(-support)?\.ts$/.test(file) || TAKES_MATH[name] !== undefined) continue
      code(file).forEach((line, index) => {
        const found = /\bMath\.(\w+)/.exec(line)
        if (found !== null)
          wrong.push(`${name}:${index + 1} import ${found[1]} from src/kernel/arithmetic.ts: it is faster`)
      })
    }
    expect(wrong).toEqual([])
  })

  it('names files after what they are', () => {
    const wrong = files
      .map((file) => relative(ROOT, file))
      .filter(
        (file) => /(^|[/-])(utils?|helpers?|common|misc)(\.|-|\/)/.test(file) || !/^[a-z0-9/.-]+$/.test(file),
      )
    expect(wrong, 'kebab-case nouns of the domain; no utils, helpers, common or misc').toEqual([])
  })

  it('has no focused or disabled test without a reason', () => {
    const wrong: string[] = []
    for (const file of [...files, ...sources(join(ROOT, 'test'))]) {
      if (!file.endsWith('.test.ts') || file.endsWith('tidy.test.ts') || file.includes('node_modules'))
        continue
      code(file).forEach((line, index) => {
        if (/\b(it|test|describe)\.(only|skip|todo)\(/.test(line)) {
          wrong.push(
            `${relative(ROOT, file)}:${index + 1} use skipIf(condition) with a message that says why, or delete it`,
          )
        }
      })
    }
    expect(wrong).toEqual([])
  })
})
