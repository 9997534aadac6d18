/**
 * Which level a change asks for: rules from files to levels, the gravest one that matches. The rules of the configuration
 * come first; a file that none of them matches goes through the rules here. Advice is a starting point, not a verdict.
 */
import { LEVEL_NAMES, type LevelName } from '../../faults/levels.ts'
import { reasonForNoPlan, type ChangedFile } from './change.ts'

export interface AdviceRule {
  /** Files by path: `*` stands for any part of a name, `**` for any folders. */
  readonly files: string
  readonly level: LevelName
  readonly why: string
}

export interface Advised {
  readonly file: string
  readonly level: LevelName
  readonly why: string
}

export interface LevelAdvice {
  /** Null if the change needs no simulation. */
  readonly level: LevelName | null
  readonly why: string
  /** File by file, the gravest first. */
  readonly files: readonly Advised[]
}

interface BuiltInRule {
  readonly matches: (change: ChangedFile) => boolean
  readonly level: LevelName
  readonly why: string
}

const CODE = /\.[cm]?[jt]sx?$/
const DURABILITY = /\b(fsync|fdatasync|datasync|writeFile|appendFile|rename|createWriteStream)\b/
const AGREEMENT = /\b(leader|election|quorum|lease|fence|term|replica|snapshot|consensus|lock)\b/i
const NETWORK = /node:(net|http|https|http2|dgram|tls)|\bfetch\(|\b(socket|retry|timeout|reconnect)\b/i
const TEST = /\.(test|spec)\.[cm]?[jt]sx?$|(^|\/)(tests?|__tests__)\//

const textOf = ({ before, after }: ChangedFile): string => `${before ?? ''}\n${after ?? ''}`

const BUILT_IN: readonly BuiltInRule[] = [
  { matches: ({ file }) => TEST.test(file), level: 'sunny', why: 'it is a test' },
  {
    matches: (change) => CODE.test(change.file) && DURABILITY.test(textOf(change)),
    level: 'radioactive',
    why: 'it writes to a disk: power loss and lying disks decide',
  },
  {
    matches: (change) => CODE.test(change.file) && AGREEMENT.test(textOf(change)),
    level: 'radioactive',
    why: 'it agrees with other processes: partitions, pauses and clocks decide',
  },
  {
    matches: (change) => CODE.test(change.file) && NETWORK.test(textOf(change)),
    level: 'stormy',
    why: 'it speaks over the network',
  },
  {
    matches: ({ file }) => /(^|\/)(package(-lock)?\.json|pnpm-lock\.yaml|yarn\.lock)$/.test(file),
    level: 'stormy',
    why: 'it changes what is installed',
  },
  { matches: ({ file }) => CODE.test(file), level: 'sunny', why: 'it is code without I/O in sight' },
]

export function adviseLevel(changed: readonly ChangedFile[], rules: readonly AdviceRule[] = []): LevelAdvice {
  const needless = reasonForNoPlan(changed)
  if (needless !== null) return { level: null, why: needless, files: [] }
  const advised = changed.flatMap((change): Advised[] => {
    const rule =
      rules.find(({ files }) => pattern(files).test(change.file)) ??
      BUILT_IN.find((each) => each.matches(change))
    return rule === undefined ? [] : [{ file: change.file, level: rule.level, why: rule.why }]
  })
  if (advised.length === 0) return { level: null, why: 'no rule says that what changed runs', files: [] }
  const files = [...advised].sort((a, b) => gravity(b.level) - gravity(a.level) || (a.file < b.file ? -1 : 1))
  return { level: files[0].level, why: `${files[0].file}: ${files[0].why}`, files }
}

function gravity(level: LevelName): number {
  return LEVEL_NAMES.indexOf(level)
}

/** A pattern of paths as a regular expression. */
function pattern(files: string): RegExp {
  const source = files.replace(/[.+^${}()|[\]\\]/g, '\\$&').replace(/\*\*\/|\*\*|\*|\?/g, (star) => {
    if (star === '**/') return '(?:.*/)?'
    return star === '**' ? '.*' : star === '*' ? '[^/]*' : '[^/]'
  })
  return new RegExp(`^${source}$`)
}
