/**
 * The names that a CommonJS file exports, as the loaders guess them from its text for `import`. A function of the text:
 * found once per thread.
 */
interface Names {
  readonly exports: readonly string[]
  readonly reexports: readonly string[]
}

type Parse = (source: string, name?: string) => Names

/** Texts that programs write are not worth keeping, but cannot be distinguished from those they only read. */
const MAX_TEXTS = 5_000

export class ExportNames {
  readonly #known = new Map<string, Names>()

  /** Node's parser, `internal/deps/cjs-module-lexer/…`, with a memory. */
  remember(lexer: { readonly parse: Parse }): object {
    const { parse } = lexer
    return {
      __proto__: lexer,
      parse: (source: string, name?: string): Names => {
        let names = this.#known.get(source)
        if (names === undefined) {
          names = parse(source, name)
          if (this.#known.size >= MAX_TEXTS) this.#known.clear()
          this.#known.set(source, names)
        }
        return names
      },
    }
  }
}
