/** How a program's module loaders are set up: the part of their options that users of the tank decide. */
import type { AssertionSite } from './compiling/assertion-sites.ts'
import type { SourceTransform } from './compiling/program-compiler.ts'

export interface LoaderSettings {
  /** Specifier → namespace of a module of the host, such as wavetank's own. */
  readonly hostModules?: Readonly<Record<string, unknown>>
  /** Specifier → path of a module to load instead, or 'host' for the host's own instance of a pure package. */
  readonly externals?: Readonly<Record<string, string>>
  /** Where `externals` are resolved from. */
  readonly root?: string
  /** Packages whose native addons may be loaded. */
  readonly addons?: readonly string[]
  /** Rewrites the program's files, such as the one that makes every `await` a scheduling point. */
  readonly transform?: SourceTransform | undefined
  /** Gets the assertions in a file each time the process loads it. */
  readonly onAssertions?: ((sites: readonly AssertionSite[]) => void) | undefined
}
