/** What a change is about, and whether it needs a plan at all. */
import { transformSync, type Loader } from 'esbuild'

export interface ChangedFile {
  readonly file: string
  /** Null if the file is new, or gone. */
  readonly before: string | null
  readonly after: string | null
}

const DOCUMENTS =
  /\.(md|markdown|txt|rst|adoc|png|jpe?g|svg|gif)$|(^|\/)(LICENSE|NOTICE|AUTHORS|CODEOWNERS|\.gitignore|\.editorconfig)$/i
const CODE = /\.([cm]?[jt]sx?)$/

/** Why no plan is needed; null if one is. */
export function reasonForNoPlan(changed: readonly ChangedFile[]): string | null {
  if (changed.length === 0) return 'nothing changed'
  const others = changed.filter(({ file }) => !DOCUMENTS.test(file))
  if (others.length === 0) return `only documents changed: ${names(changed)}`
  if (others.every(isLayoutOnly)) return `only comments and layout changed in ${names(others)}`
  return null
}

function names(files: readonly ChangedFile[]): string {
  return (
    files
      .slice(0, 5)
      .map(({ file }) => file)
      .join(', ') + (files.length > 5 ? ` and ${files.length - 5} more` : '')
  )
}

/** The same code once comments and white space are gone. */
function isLayoutOnly({ file, before, after }: ChangedFile): boolean {
  const extension = CODE.exec(file)?.[1]
  if (extension === undefined || before === null || after === null) return false
  const loader = extension.replace(/^[cm]/, '') as Loader
  try {
    const bare = (code: string): string =>
      transformSync(code, { loader, minifyWhitespace: true, legalComments: 'none' }).code
    return bare(before) === bare(after)
  } catch {
    return false // not code that can be read: a plan may be needed
  }
}
