/** A program that a project starts, as far as its files say. */

/** The files of a project, by paths relative to it. */
export interface ProjectFiles {
  /** Null if there is no such file. */
  read(path: string): string | null
}

export interface FoundProgram {
  /** A name for its group of processes, and so for its hosts. */
  readonly name: string
  /** The entry file, relative to the project. */
  readonly entry: string
  /** The first port that it listens on; null if nothing says so. */
  readonly port: number | null
  /** True if a compose file publishes the port: clients talk to it. */
  readonly published: boolean
  readonly env: Readonly<Record<string, string>>
  /** How many of it a compose file starts. */
  readonly count: number
  /** The file that says so. */
  readonly from: string
}

/** A program of which only the entry is known. */
export function programOf(entry: string, from: string): FoundProgram {
  const name = groupName(entry.replace(/^.*\//, '').replace(/\.\w+$/, ''))
  return { name, entry, port: null, published: false, env: {}, count: 1, from }
}

/** Letters, digits and `-`, as group and host names are: other programs of a compose file may ask for it by this name. */
export function groupName(text: string): string {
  const name = text.replace(/[^A-Za-z0-9]+/g, '-').replace(/^-+|-+$/g, '')
  return /^[A-Za-z]/.test(name) ? name : `node-${name}`.replace(/-$/, '')
}
