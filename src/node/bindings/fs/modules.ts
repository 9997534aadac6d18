/** The members of `fs` that the module loaders use: short answers without errors, asked for thousands of times. */
import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { FileInode } from '../../../world/disk/inode.ts'
import { current } from '../../process/current.ts'
import type { Binding } from '../../library/internals.ts'
import { uvCode } from '../binding.ts'
import { nodeError } from './checks.ts'
import { loadingFiles, type LoadingFiles } from './loading.ts'

/** Tried after a package’s `main`, and after `index`: the answer is a position in both lists together. */
const MAIN_SUFFIXES = ['', '.js', '.json', '.node', '/index.js', '/index.json', '/index.node']
const INDEX_SUFFIXES = ['.js', '.json', '.node']

const FORMAT_JAVASCRIPT = 0
const FORMAT_WASM = 1

/** Keys of a package.json that make it matter to the loaders. */
const PACKAGE_KEYS = /"(?:main|name|type|exports|imports)"/

export function moduleMembers(): Binding {
  const nothing = uvCode('ENOENT')
  return {
    /** 0 for a file, 1 for a directory, a negative number for nothing. Newer versions pass the binding first. */
    internalModuleStat(first: unknown, second?: unknown) {
      const path = typeof first === 'string' ? first : (second as string)
      const inode = loadingFiles(current()).inode(path)
      return inode === null ? nothing : inode.kind === 'directory' ? 1 : 0
    },
    /** A package.json's text and whether it has any key that matters; nothing if there is no such file. */
    internalModuleReadJSON(path: string) {
      const text = path.includes('\0') ? null : loadingFiles(current()).text(path)
      if (text === null) return []
      return [text.startsWith('\ufeff') ? text.slice(1) : text, PACKAGE_KEYS.test(text)]
    },
    /** Node 20 passes the URL of the package.json, later versions the path of its folder. */
    legacyMainResolve(packageLocation: string, main?: unknown, base?: unknown) {
      const files = loadingFiles(current())
      const packagePath = packageLocation.startsWith('file:')
        ? fileURLToPath(new URL('.', packageLocation))
        : packageLocation
      if (typeof main === 'string') {
        const found = firstFile(files, resolve(packagePath, main), MAIN_SUFFIXES)
        if (found >= 0) return found
      }
      const found = firstFile(files, resolve(packagePath, './index'), INDEX_SUFFIXES)
      if (found >= 0) return MAIN_SUFFIXES.length + found
      if (typeof base !== 'string') {
        throw Object.assign(
          new TypeError('The "base" argument must be of type string or an instance of URL.'),
          { code: 'ERR_INVALID_ARG_TYPE' },
        )
      }
      const wanted =
        typeof main === 'string' ? resolve(packagePath, main) : `${resolve(packagePath, './index')}.js`
      throw new (nodeError('ERR_MODULE_NOT_FOUND'))(wanted, fileURLToPath(base), 'package')
    },
    getFormatOfExtensionlessFile(path: string) {
      const inode = loadingFiles(current()).inode(path)
      if (!(inode instanceof FileInode)) return FORMAT_JAVASCRIPT
      const magic = new Uint8Array(4)
      inode.data.read(0, magic)
      const isWasm = magic[0] === 0 && magic[1] === 0x61 && magic[2] === 0x73 && magic[3] === 0x6d
      return isWasm ? FORMAT_WASM : FORMAT_JAVASCRIPT
    },
  }
}

function firstFile(files: LoadingFiles, path: string, suffixes: readonly string[]): number {
  return suffixes.findIndex((suffix) => files.inode(path + suffix) instanceof FileInode)
}
