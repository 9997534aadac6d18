/**
 * Evaluates a file of the user on the host, such as a configuration or a model: esbuild bundles it, so that TypeScript
 * works on every Node; packages stay outside and are found from the file's own folder.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { UsageError } from '../kernel/errors.ts'

/** The exports of a file; `code` is that of the `UsageError` when it cannot be loaded. */
export async function evaluateModule(file: string, code: string): Promise<Readonly<Record<string, unknown>>> {
  const { build } = await import('esbuild')
  try {
    const bundle = await build({
      entryPoints: [file],
      bundle: true,
      write: false,
      format: 'esm',
      platform: 'node',
      packages: 'external',
      external: ['wavetank', 'wavetank/*'], // also where a tsconfig leads them to source files
      logLevel: 'silent',
    })
    const folder = mkdtempSync(join(dirname(file), '.wavetank-module-'))
    try {
      const compiled = join(folder, 'module.mjs')
      writeFileSync(compiled, bundle.outputFiles[0].contents)
      return (await import(pathToFileURL(compiled).href)) as Readonly<Record<string, unknown>>
    } finally {
      rmSync(folder, { recursive: true })
    }
  } catch (error) {
    throw new UsageError(code, `${file} cannot be loaded: ${(error as Error).message}`, { cause: error })
  }
}
