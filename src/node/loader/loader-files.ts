/**
 * The files of a program as its loaders read them: from the process's own disk, TypeScript as the JavaScript it stands
 * for. Node's loaders get it in the place of `fs` and `internal/fs/promises`; programs do not see it.
 */
import { fileURLToPath } from 'node:url'
import type { LoaderProcess } from './loader-process.ts'
import type { LoaderThread } from './loader-thread.ts'
import { formatOf, type ProgramFiles } from './resolution.ts'
import { TypeScriptProjects } from './compiling/tsconfig.ts'
import { isTypeScript } from './compiling/typescript.ts'

interface LoaderFilesOptions {
  readonly thread: LoaderThread
  readonly process: LoaderProcess
  /** The process's instance of a loader module. */
  readonly require: (id: string) => any
  readonly isBuiltin: (specifier: string) => boolean
}

export class LoaderFiles implements ProgramFiles {
  readonly isBuiltin: (specifier: string) => boolean
  readonly projects = new TypeScriptProjects((path) => this.text(path))
  readonly #thread: LoaderThread
  readonly #process: LoaderProcess
  readonly #require: (id: string) => any

  constructor({ thread, process, require, isBuiltin }: LoaderFilesOptions) {
    this.#thread = thread
    this.#process = process
    this.#require = require
    this.isBuiltin = isBuiltin
  }

  readSource(filename: string): string {
    return this.fs().readFileSync(filename, 'utf8')
  }

  packageType(filename: string): string | undefined {
    const reader = this.#require('internal/modules/package_json_reader')
    // Node 20 calls it readPackageScope.
    const nearest = reader.getNearestParentPackageJSON ?? reader.readPackageScope
    return nearest(filename)?.data?.type
  }

  /** A file as it is; undefined where there is none. */
  text(path: string): string | undefined {
    const { files } = this.#process
    if (files !== undefined) return files.text(path) ?? undefined
    const fs = this.#process.require('fs')
    try {
      return fs.readFileSync(path, 'utf8')
    } catch {
      return undefined
    }
  }

  /** Node's `fs`, whose program files are JavaScript already. */
  fs(): any {
    const { files } = this.#process
    const fs = this.#process.require('fs')
    const { readFileSync, realpathSync } = fs
    /** Straight from the disk, unless the program has put something in between. */
    const readText = (path: string): string => {
      const isPlain = files !== undefined && fs.readFileSync === readFileSync
      return (isPlain ? files.imageText(path) : null) ?? fs.readFileSync(path, 'utf8')
    }
    return {
      __proto__: fs,
      readFileSync: (file: string | URL, options: unknown): string | Buffer => {
        const filename = typeof file === 'string' ? file : fileURLToPath(file)
        if (isTypeScript(filename)) return this.#compile(readText(filename), filename)
        return options === 'utf8' ? readText(filename) : fs.readFileSync(file, options)
      },
      realpathSync: (path: string, options: unknown): string => {
        if (files === undefined || fs.realpathSync !== realpathSync) return fs.realpathSync(path, options)
        return files.realPath(path)
      },
    }
  }

  /** As {@link fs}. Node reads modules with promises; callbacks do the same without a further library. */
  fsPromises(): any {
    const fs = this.#process.require('fs')
    const read = (file: string | URL, options: unknown): Promise<any> =>
      new Promise((done, failed) => {
        fs.readFile(file, options, (error: Error | null, data: unknown) =>
          error ? failed(error) : done(data),
        )
      })
    return {
      exports: {
        readFile: (file: string | URL, options: unknown): Promise<string | Buffer> => {
          const filename = typeof file === 'string' ? file : fileURLToPath(file)
          if (!isTypeScript(filename)) return read(file, options)
          return read(filename, 'utf8').then((source: string) => this.#compile(source, filename))
        },
      },
    }
  }

  #compile(source: string, filename: string): string {
    return this.#thread.typescript.compile(source, filename, {
      settings: this.projects.settingsOf(filename),
      isCommonJs: formatOf(filename, this) === 'commonjs',
    })
  }
}
