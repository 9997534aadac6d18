/**
 * The reader of package.json files against Node's own binding, over the same files on the real disk. Node 20 has no such
 * binding; there the expectations written here stand alone.
 */
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, describe, expect, it } from 'vitest'
import { takeInternals, type Binding } from '../../library/internals.ts'
import { createModulesBinding } from './modules.ts'

const folder = realpathSync(mkdtempSync(join(tmpdir(), 'wavetank-modules-')))
afterAll(() => rmSync(folder, { recursive: true }))

function write(path: string, text: string): string {
  const file = join(folder, path)
  mkdirSync(join(file, '..'), { recursive: true })
  writeFileSync(file, text)
  return file
}

const full = write(
  'full/package.json',
  '{"name":"full","main":"m.js","type":"module","exports":{".":"./m.js"},"imports":{"#a":"./a.js"}}',
)
write('odd/package.json', '\ufeff{"name":"odd","main":1,"type":"strange","exports":"./x.js","imports":false}')
write('full/node_modules/bare/index.js', '')
write('broken/package.json', '{"name":')
write('list/package.json', '[]')
write('typed/package.json', '{"type":1}')

const hostBinding = hostModules()
const binding = createModulesBinding({
  host: hostBinding,
  parse: JSON.parse,
  readText(path) {
    try {
      return readFileSync(path, 'utf8')
    } catch {
      return undefined
    }
  },
})

function hostModules(): Binding | undefined {
  try {
    return takeInternals().internalBinding('modules')
  } catch {
    return undefined
  }
}

function outcome(call: (binding: Binding) => unknown, target: Binding): unknown {
  try {
    return call(target)
  } catch (error) {
    return `${(error as { code: string }).code} ${(error as Error).message}`
  }
}

const CALLS: ReadonlyArray<readonly [string, (target: Binding) => unknown, unknown]> = [
  [
    'a full file',
    (b) => b.readPackageJSON(full, false),
    ['full', 'm.js', 'module', '{"#a":"./a.js"}', '{".":"./m.js"}', full],
  ],
  [
    'odd fields',
    (b) => b.readPackageJSON(join(folder, 'odd/package.json'), false),
    ['odd', undefined, 'none', undefined, './x.js', join(folder, 'odd/package.json')],
  ],
  ['a missing file', (b) => b.readPackageJSON(join(folder, 'none/package.json'), false), undefined],
  [
    'a broken file',
    (b) => b.readPackageJSON(join(folder, 'broken/package.json'), false),
    `ERR_INVALID_PACKAGE_CONFIG Invalid package config ${folder}/broken/package.json.`,
  ],
  [
    'a broken file, imported',
    (b) =>
      b.readPackageJSON(
        join(folder, 'broken/package.json'),
        true,
        pathToFileURL(join(folder, 'from.mjs')).href,
        'broken',
      ),
    `ERR_INVALID_PACKAGE_CONFIG Invalid package config ${folder}/broken/package.json while importing "broken" from ${folder}/from.mjs.`,
  ],
  [
    'a list',
    (b) => b.readPackageJSON(join(folder, 'list/package.json'), false),
    `ERR_INVALID_PACKAGE_CONFIG Invalid package config ${folder}/list/package.json.`,
  ],
  [
    'a type that is no string',
    (b) => b.readPackageJSON(join(folder, 'typed/package.json'), false),
    `ERR_INVALID_PACKAGE_CONFIG Invalid package config ${folder}/typed/package.json.`,
  ],
  [
    'the nearest type',
    (b) => b.getNearestParentPackageJSONType(join(folder, 'full/lib/deep/x.js')),
    'module',
  ],
  [
    'no type inside node_modules',
    (b) => b.getNearestParentPackageJSONType(join(folder, 'full/node_modules/bare/index.js')),
    undefined,
  ],
  [
    'the scope of a URL',
    (b) => b.getPackageType(pathToFileURL(join(folder, 'full/lib/x.js')).href),
    'module',
  ],
  [
    'the scope of a bare package',
    (b) => b.getPackageScopeConfig(pathToFileURL(join(folder, 'full/node_modules/bare/index.js')).href),
    join(folder, 'full/node_modules/package.json'),
  ],
]

describe('the modules binding', () => {
  it.each(CALLS)('answers as expected: %s', (_, call, expected) => {
    expect(outcome(call, binding)).toEqual(expected)
  })

  it.skipIf(hostBinding === undefined)('answers as Node does (Node 22 and later)', () => {
    for (const [name, call] of CALLS) {
      expect([name, outcome(call, binding)]).toEqual([name, outcome(call, hostBinding!)])
    }
  })
})
