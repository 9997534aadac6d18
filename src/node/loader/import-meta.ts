/** `import.meta` where Node makes it natively, from version 26 on: keys in alphabetical order. */
import { fileURLToPath } from 'node:url'

/** `esm` is the process's loader of ES modules. */
export function fillImportMeta(meta: any, { url, isMain }: { url: string; isMain: boolean }, esm: any): void {
  if (url.startsWith('file:')) {
    meta.dirname = fileURLToPath(new URL('.', url)).replace(/(.)\/$/, '$1')
    meta.filename = fileURLToPath(url)
  }
  meta.main = isMain
  meta.resolve = (specifier: string) => resolveFrom(specifier, url, esm)
  meta.url = url
}

function resolveFrom(specifier: string, parentUrl: string, esm: any): string {
  try {
    return esm.resolveSync(parentUrl, { specifier, __proto__: null }).url
  } catch (error: any) {
    const isMissing = error?.code === 'ERR_UNSUPPORTED_DIR_IMPORT' || error?.code === 'ERR_MODULE_NOT_FOUND'
    if (isMissing && error.url) return error.url
    throw error
  }
}
