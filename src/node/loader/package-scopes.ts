/**
 * The package that a file belongs to, on Node 20: its reader goes up from the file every time, past every `package.json`
 * that it has found missing before. It never reads one twice in a process, so the answer for a folder stays.
 */
interface PackageConfig {
  readonly exists: boolean
}

type Scope = { readonly data: PackageConfig; readonly path: string } | false

/** By folder, as one process has found them. */
export type PackageScopes = Map<string, Scope>

/** `internal/modules/package_json_reader`. */
export function rememberScopes(reader: any, scopesOf: () => PackageScopes): void {
  const { read, readPackageScope } = reader
  if (readPackageScope === undefined || read === undefined) return // from Node 22 on it is native, with a cache

  function scopeOf(folder: string, scopes: PackageScopes): Scope {
    let scope = scopes.get(folder)
    if (scope === undefined) scopes.set(folder, (scope = find(folder, scopes)))
    return scope
  }

  function find(folder: string, scopes: PackageScopes): Scope {
    if (folder.endsWith('/node_modules')) return false
    const data: PackageConfig = read(`${folder}/package.json`)
    if (data.exists) return { data, path: folder }
    return folder === '' ? false : scopeOf(above(folder), scopes)
  }

  reader.readPackageScope = function (checkPath: string): Scope {
    return checkPath.startsWith('/') ? scopeOf(above(checkPath), scopesOf()) : readPackageScope(checkPath)
  }
}

function above(path: string): string {
  return path.slice(0, path.lastIndexOf('/'))
}
