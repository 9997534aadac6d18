/**
 * Style as a test. Each rule names what to use instead, so that a failure is also the instruction. The rules:
 *
 * - a layer imports only from layers before it (docs/architecture.md gives the order);
 * - a layer that has a door is entered by it;
 * - every production file opens with a header, and no folder has more production files than a reader can survey;
 * - deterministic layers touch no real clock, randomness, timer or environment;
 * - what runs inside a world has its arithmetic from the kernel, not from the running process's `Math`;
 * - the classes of a layer hide their members in one way;
 * - no file is called utils, helpers, common or misc; names are kebab-case;
 * - no focused or disabled test without a reason beside it.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { describe, expect, it } from 'vitest'

const ROOT = new URL('..', import.meta.url).pathname
const SRC = join(ROOT, 'src')

/** The folders of src in the order in which a newcomer can read them: the table in docs/architecture.md is the truth. */
const LAYERS = [
  ...readFileSync(join(ROOT, 'docs/architecture.md'), 'utf8').matchAll(/^\| `src\/([a-z-]+)` /gm),
].map(([, name]) => name)

/**
 * The layers that other layers of src enter by a door only, each with the files that are its doors. Tests beside the
 * code of a layer may look into any room.
 */
const DOORS: Readonly<Record<string, readonly string[]>> = {
  node: ['index.ts', 'bare.ts'],
}

/** With more production files than this a folder is a heap. */
const MOST_FILES = 30

/** Folders whose code runs inside a world, or decides what happens in one. */
const DETERMINISTIC = new Set(['kernel', 'world', 'node', 'faults', 'sim', 'explore'])

/** Folders whose answers depend on their arguments alone, in a world or outside of it. */
const PURE = new Set([...DETERMINISTIC, 'history', 'checkers', 'report'])

/** Layers whose objects users hold: `#` hides a member from them too. In `src/node` programs can reach some classes. */
const HIDES_WITH_HASH = new Set(['history', 'checkers', 'maelstrom', 'real'])

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
const ALLOWED: Readonly<Record<string, string>> = {
  'src/node/isolation/region.ts': "the host's TZ is the engine's time zone, which processes must not see",
  'src/node/isolation/shared-classes.ts': "asks the running process's own performance and crypto",
  'src/node/library/kept-results.ts': 'names a file of the host at random',
  'src/node/process/children/shell.ts': 'the shell is a program: process is the simulated one',
  'src/node/process/children/tools.ts': 'the tools are programs: process is the simulated one',
  'src/node/process/environment-variables.ts': 'process.env is what it simulates',
  'src/sim/workloads/kit.ts': "runs in the workload's process: its timers are the simulated ones",
}

/** Files that mean the host's `Math`, each with its reason. */
const TAKES_MATH: Readonly<Record<string, string>> = {
  'src/node/globals/context-realm.ts': 'changes that of a context',
  'src/node/globals/math.ts': 'makes the simulated one of it',
  'src/node/library/kept-results.ts': 'names a file of the host at random',
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

function isProduction(file: string): boolean {
  return !/\.(test|test-support|contract)\.ts$/.test(file)
}

function layerOf(file: string): string {
  return relative(SRC, file).split('/')[0]
}

describe('tidy', () => {
  const files = sources(SRC)

  it('finds the sources', () => {
    expect(files.length).toBeGreaterThan(10)
  })

  it('gives every file a layer, and every layer of docs/architecture.md a folder', () => {
    const folders = readdirSync(SRC, { withFileTypes: true })
    const unlisted = folders.filter((entry) => entry.isDirectory() && !LAYERS.includes(entry.name))
    expect(unlisted.map(({ name }) => name)).toEqual([])
    expect(LAYERS.filter((name) => !folders.some((entry) => entry.name === name))).toEqual([])
    const atTheRoot = folders.filter((entry) => entry.isFile()).map(({ name }) => name)
    expect(atTheRoot, 'put the file into the folder of its layer').toEqual(['index.ts'])
  })

  it('keeps the import direction between layers', () => {
    const wrong: string[] = []
    for (const file of files) {
      const layer = LAYERS.indexOf(layerOf(file))
      if (layer < 0) continue // src/index.ts, the package's table of contents
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

  it('enters a layer that has a door by its door', () => {
    const wrong: string[] = []
    for (const file of files) {
      code(file).forEach((line, index) => {
        const target = /(?:from|import\()\s*['"](\.[^'"]+)['"]/.exec(line)?.[1]
        if (target === undefined) return
        const [layer, ...rest] = relative(SRC, join(file, '..', target)).split('/')
        const doors = DOORS[layer]
        if (doors === undefined || layer === layerOf(file) || doors.includes(rest.join('/'))) return
        wrong.push(
          `${relative(ROOT, file)}:${index + 1} imports src/${layer}/${rest.join('/')}: import from ${doors.map((door) => `src/${layer}/${door}`).join(' or ')}, and export there what is missing`,
        )
      })
    }
    expect(wrong).toEqual([])
    for (const [layer, doors] of Object.entries(DOORS))
      for (const door of doors) expect(files, 'a door that does not exist').toContain(join(SRC, layer, door))
  })

  it('opens every production file with a header', () => {
    const wrong = files.filter(isProduction).filter((file) => {
      const text = readFileSync(file, 'utf8').replace(/^#!.*\n/, '')
      return !text.startsWith('/**') && !text.startsWith('//')
    })
    expect(
      wrong.map((file) => relative(ROOT, file)),
      'open the file with a few sentences: what it models, what it does not, what it follows',
    ).toEqual([])
  })

  it(`has at most ${MOST_FILES} production files directly in one folder`, () => {
    const counts = new Map<string, number>()
    for (const file of files.filter(isProduction)) {
      const folder = relative(ROOT, join(file, '..'))
      counts.set(folder, (counts.get(folder) ?? 0) + 1)
    }
    const wrong = [...counts].filter(([, count]) => count > MOST_FILES)
    expect(
      wrong.map(
        ([folder, count]) => `${folder} has ${count} files: give it rooms, folders named by what they hold`,
      ),
    ).toEqual([])
  })

  it('keeps real clocks, randomness, timers and environment out of layers that must not depend on them', () => {
    const wrong: string[] = []
    const used = new Set<string>()
    for (const file of files) {
      if (!PURE.has(layerOf(file)) || !isProduction(file)) continue
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
    expect([...used], 'take what is not needed any more out of ALLOWED').toEqual(Object.keys(ALLOWED))
  })

  it('takes arithmetic from the kernel where the global Math is a simulated process’s', () => {
    const wrong: string[] = []
    for (const file of files) {
      const layer = layerOf(file)
      if (!DETERMINISTIC.has(layer)) continue
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

  it('hides members in one way per layer', () => {
    const wrong: string[] = []
    for (const file of files) {
      const layer = layerOf(file)
      if (layer === 'node') continue // `#` if programs can reach the object, `private` otherwise
      const hash = HIDES_WITH_HASH.has(layer)
      const other = hash ? /^\s+private (?!constructor)/ : /^\s+(static |readonly |async )*#\w/
      code(file).forEach((line, index) => {
        if (other.test(line))
          wrong.push(
            `${relative(ROOT, file)}:${index + 1} src/${layer} hides with ${hash ? '`#`' : '`private`'}, as CONTRIBUTING.md says`,
          )
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
