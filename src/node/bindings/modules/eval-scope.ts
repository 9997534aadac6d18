/**
 * A scope of its own for code that Node evaluates as a script: `node -e`, standard input, a worker's `eval`. Such a
 * script declares its names in the realm, of which every process and thread has one; here all share one realm, so two
 * programs that both say `const assert` would collide. The text that is added sits on a line of its own before the first.
 */

/** The names under which Node evaluates a program's text. */
const EVALUATED = new Set(['[eval]', '[stdin]', '[worker eval]'])

const DIRECTIVE = /^(?:\s|\/\/.*\n|\/\*[^]*?\*\/)*(['"])use strict\1/

/** Source and line offset to compile instead; null when the script is to be left alone. */
export function ownScope(
  source: string,
  filename: string,
  lineOffset: number,
  printsResult: boolean,
): { readonly source: string; readonly lineOffset: number } | null {
  if (!EVALUATED.has(filename)) return null
  // A block has the value of its last statement, which a function has not; its `var`s are the realm's, though.
  if (printsResult) {
    const directive = DIRECTIVE.test(source) ? `'use strict';` : ''
    return { source: `${directive}{\n${source}\n}`, lineOffset: lineOffset - 1 }
  }
  return { source: `(function () {\n${source}\n}).call(this)`, lineOffset: lineOffset - 1 }
}
