/**
 * Evaluates a file of the user on the host, such as a configuration or a model: esbuild bundles it, so that TypeScript
 * works on every Node; packages stay outside and are found from the file's own folder. So the bundle has to lie there while
 * it is loaded. A process that is killed meanwhile leaves it behind; the next one that loads a file of the folder removes it.
 */
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
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
    removeLeftOvers(dirname(file))
    const folder = mkdtempSync(join(dirname(file), `.wavetank-module-${process.pid}-`))
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

/** Removes the bundles of processes that are gone. */
function removeLeftOvers(folder: string): void {
  for (const name of readdirSync(folder)) {
    const pid = /^\.wavetank-module-(\d+)-/.exec(name)?.[1]
    if (pid !== undefined && !isRunning(Number(pid)))
      rmSync(join(folder, name), { recursive: true, force: true })
  }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM' // another user's
  }
}
