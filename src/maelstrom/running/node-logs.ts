/**
 * What nodes write to stderr, line by line. A node that never stops writing costs bounded memory: after a limit its
 * lines are counted and not kept.
 */
const MOST_CHARACTERS = 32 << 20

interface Log {
  readonly lines: string[]
  characters: number
  dropped: number
}

export class NodeLogs {
  readonly #logs: ReadonlyMap<string, Log>
  readonly #mostCharacters: number

  constructor(nodes: readonly string[], mostCharacters = MOST_CHARACTERS) {
    this.#logs = new Map(nodes.map((node) => [node, { lines: [], characters: 0, dropped: 0 }]))
    this.#mostCharacters = mostCharacters
  }

  add(node: string, line: string): void {
    const log = this.#logs.get(node)!
    log.characters += line.length + 1
    if (log.characters <= this.#mostCharacters) log.lines.push(line)
    else log.dropped++
  }

  /** The lines of every node; the last one says how many were dropped. */
  all(): ReadonlyMap<string, readonly string[]> {
    return new Map(
      [...this.#logs].map(([node, { lines, dropped }]) => [
        node,
        dropped === 0 ? lines : [...lines, `… and ${dropped} lines that were not kept`],
      ]),
    )
  }
}
