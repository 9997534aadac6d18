/**
 * The place in the program that asked for an event. After an `await`, V8's stack continues with the functions that wait for
 * the current one. So the stack at the moment an event is scheduled shows the line of the user's code that it belongs to,
 * even if Node's library scheduled it, and the branch of a `Promise.all`: plain promises get their names from there.
 * Positions are in the files as people wrote them (see loader/stack-traces.ts).
 *
 * Taking a stack costs more than a step; only recorded runs do it.
 */
import { branchOf, programFrame, stackLines } from './stack-frames.ts'

export interface Origin {
  /** `file:line:column` of the innermost frame outside of Node, relative to the project where it lies in it. */
  readonly position: string
  /** The function it stands in, where that has a name. */
  readonly inside: string | null
  /** Where the project's own code called into the package that the position lies in; null outside of packages. */
  readonly via: Frame | null
  /** The branch of a `Promise.all` that it belongs to: function and number, such as `deposit #2`. */
  readonly strand: string | null
  /** The outermost function that has a name: what `strand` is called, once that is known. */
  readonly outer: string | null
  /** How many of the program's functions are waiting for it, itself included. */
  readonly depth: number
}

export interface Frame {
  readonly position: string
  readonly inside: string | null
}

const STACK_FRAMES = 60

/** Takes origins for one run, at whose beginning it is made: frames that are on the stack already are not the program's. */
export class Origins {
  private readonly below: ReadonlySet<string>
  private readonly root: string

  /** `root` is the folder that positions are relative to; empty for none. */
  constructor(root: string) {
    this.root = root === '' ? '' : `${root}/`
    this.below = new Set(stackLines(STACK_FRAMES))
  }

  /** The origin of what is being asked for right now; null where no code of the program is on the stack. */
  readonly take = (): Origin | null => {
    const lines = stackLines(STACK_FRAMES).filter((line) => !this.below.has(line))
    const frames: Frame[] = []
    let strand: string | null = null
    for (const line of lines) {
      const branch = branchOf(line)
      if (branch !== null) strand ??= `${frames.at(-1)?.inside ?? 'promise'} #${branch + 1}`
      const frame = programFrame(line)
      if (frame !== null)
        frames.push({ position: this.relative(frame.position), inside: readable(frame.name) })
    }
    const [innermost] = frames
    if (innermost === undefined) return null
    const via = frames.find(({ position }) => !isInPackage(position)) ?? null
    const outer = frames.findLast(({ inside }) => inside !== null)?.inside ?? null
    return { ...innermost, via: via === innermost ? null : via, strand, outer, depth: frames.length }
  }

  /** A text in which the project's folder is not named. */
  readonly relative = (text: string): string => {
    const plain = text.replaceAll('file://', '')
    return this.root === '' ? plain : plain.replaceAll(this.root, '')
  }
}

function isInPackage(position: string): boolean {
  return /(^|[\\/])node_modules[\\/]/.test(position)
}

/** A function's name as people know it: `Object.body` and `Socket.<anonymous>` say nothing. */
function readable(name: string | null): string | null {
  const plain = name?.replace(/^(new |Object\.|Module\.)/, '').replace(/ \[as .*\]$/, '') ?? ''
  return plain === '' || plain.endsWith('<anonymous>') || plain === 'body' ? null : plain
}
