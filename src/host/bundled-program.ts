/**
 * A TypeScript program that real Node can run, whatever its version: esbuild makes one JavaScript file of it, beside the
 * original, so that packages are found from there.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { UsageError } from '../kernel/errors.ts'

export interface BundledProgram {
  readonly file: string
  remove(): void
}

export async function bundledProgram(file: string): Promise<BundledProgram> {
  const { build } = await import('esbuild')
  const folder = mkdtempSync(join(dirname(file), '.wavetank-program-'))
  const remove = (): void => rmSync(folder, { recursive: true, force: true })
  try {
    await build({
      entryPoints: [file],
      outfile: join(folder, 'program.mjs'),
      bundle: true,
      format: 'esm',
      platform: 'node',
      packages: 'external',
      sourcemap: 'inline',
      logLevel: 'silent',
    })
  } catch (error) {
    remove()
    throw new UsageError('ERR_WAVETANK_PROGRAM', `${file} cannot be compiled: ${(error as Error).message}`, {
      cause: error,
    })
  }
  return { file: join(folder, 'program.mjs'), remove }
}
