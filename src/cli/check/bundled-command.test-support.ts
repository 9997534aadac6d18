/** The command line as one bundle of this source, for tests that run it as a child process. */
import { buildSync } from 'esbuild'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll } from 'vitest'

/** A folder that is gone after the tests of the file, and the program in it. */
export function bundledCommand(): { readonly folder: string; readonly program: string } {
  // Inside node_modules, so that the packages that the commands import are found.
  const folder = mkdtempSync(join(import.meta.dirname, '../../../node_modules/.wavetank-check-'))
  buildSync({
    entryPoints: [join(import.meta.dirname, '../main.ts')],
    outdir: folder,
    bundle: true,
    splitting: true,
    packages: 'external',
    platform: 'node',
    format: 'esm',
  })
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}')
  afterAll(() => rmSync(folder, { recursive: true }))
  return { folder, program: join(folder, 'main.js') }
}
