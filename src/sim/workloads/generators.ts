/**
 * Generators: what a client is asked to do next, composed from small parts. A generator is a recipe; `begin` makes the
 * one that a seed uses, so that no state survives from seed to seed. Every draw is a choice of the turn's `rng` and
 * shrinks towards the first part.
 *
 * A generator that answers null has nothing left for that client. There are no barriers: clients in different phases
 * may run side by side.
 */
import type { ClientContext } from '../authoring/definition.ts'

/** One operation that a client is asked for. */
export interface Asked {
  readonly f: string
  readonly key?: unknown
  readonly input?: unknown
  /** Virtual milliseconds to wait before it. */
  readonly delayMs?: number
}

export type Turn = Pick<ClientContext, 'client' | 'index' | 'rng'>

export type Next = (turn: Turn) => Asked | null

export interface Generator {
  begin(): Next
  /** The operations that it asks for, as far as they are known: where a level swarms, `mix` leaves parts out by them. */
  readonly operations?: readonly string[]
}

function operationsOf(...generators: readonly Generator[]): readonly string[] {
  return [...new Set(generators.flatMap(({ operations = [] }) => operations))]
}

/** The same operation again and again; `make` fills it in for each turn. */
export function op(f: string, make: (turn: Turn) => Omit<Asked, 'f'> = () => ({})): Generator {
  return { begin: () => (turn) => ({ ...make(turn), f }), operations: [f] }
}

/**
 * One of several by integer weights; a part that has nothing left is left out. Where a level swarms, each part is also
 * left out of half of all seeds, unless all would be: some bugs only show when something else does not happen.
 */
export function mix(...parts: readonly (readonly [weight: number, generator: Generator])[]): Generator {
  const names = parts.map(([, generator], i) => {
    const operations = operationsOf(generator).join(' ')
    const isTaken = parts.slice(0, i).some(([, other]) => operationsOf(other).join(' ') === operations)
    return operations === '' || isTaken ? `${operations} part ${i + 1}`.trim() : operations
  })
  return {
    operations: operationsOf(...parts.map(([, generator]) => generator)),
    begin() {
      const nexts = parts.map(([weight, generator], i) => {
        return { name: names[i], weight, next: generator.begin() }
      })
      return (turn) => {
        let left = nexts
        while (left.length > 0) {
          const drawn = turn.rng.operation(Object.fromEntries(left.map(({ name, weight }) => [name, weight])))
          const chosen = left.find(({ name }) => name === drawn)!
          const asked = chosen.next(turn)
          if (asked !== null) return asked
          left = left.filter((each) => each !== chosen)
        }
        return null
      }
    },
  }
}

/** One after the other, for each client: the next begins when the one before has nothing left for that client. */
export function phases(...parts: readonly Generator[]): Generator {
  return {
    operations: operationsOf(...parts),
    begin() {
      const nexts = parts.map((part) => part.begin())
      const reached = new Map<number, number>()
      return (turn) => {
        for (let i = reached.get(turn.client) ?? 0; i < nexts.length; i++) {
          reached.set(turn.client, i)
          const asked = nexts[i](turn)
          if (asked !== null) return asked
        }
        reached.set(turn.client, nexts.length)
        return null
      }
    },
  }
}

/** A generator of its own for every client. */
export function perClient(make: (client: number) => Generator): Generator {
  return {
    begin() {
      const nexts = new Map<number, Next>()
      return (turn) => {
        let next = nexts.get(turn.client)
        if (next === undefined) nexts.set(turn.client, (next = make(turn.client).begin()))
        return next(turn)
      }
    },
  }
}

/** The first clients are kept for parts of their own, in order: `reserve([2, writes], [1, scans], reads)`. */
export function reserve(
  ...parts: readonly [...(readonly [clients: number, generator: Generator])[], Generator]
): Generator {
  const rest = parts.at(-1) as Generator
  const kept = parts.slice(0, -1) as (readonly [number, Generator])[]
  return {
    operations: operationsOf(...kept.map(([, generator]) => generator), rest),
    begin() {
      const others = rest.begin()
      let upTo = 0
      const seats = kept.map(([clients, generator]) => ({ upTo: (upTo += clients), next: generator.begin() }))
      return (turn) => (seats.find((seat) => turn.client < seat.upTo)?.next ?? others)(turn)
    },
  }
}

/** Two in turn, for each client: `flipFlop(acquire, release)`. */
export function flipFlop(first: Generator, second: Generator): Generator {
  return {
    operations: operationsOf(first, second),
    begin() {
      const nexts = [first.begin(), second.begin()]
      const turns = new Map<number, number>()
      return (turn) => {
        const count = turns.get(turn.client) ?? 0
        turns.set(turn.client, count + 1)
        return nexts[count % 2](turn)
      }
    },
  }
}

/** At most this number of operations, of all clients together. */
export function limit(operations: number, generator: Generator): Generator {
  return {
    operations: operationsOf(generator),
    begin() {
      const next = generator.begin()
      let left = operations
      return (turn) => {
        const asked = left > 0 ? next(turn) : null
        if (asked !== null) left--
        return asked
      }
    },
  }
}

/** Until an operation fits; that operation is the last one. */
export function until(isLast: (asked: Asked, turn: Turn) => boolean, generator: Generator): Generator {
  return {
    operations: operationsOf(generator),
    begin() {
      const next = generator.begin()
      let over = false
      return (turn) => {
        const asked = over ? null : next(turn)
        if (asked !== null && isLast(asked, turn)) over = true
        return asked
      }
    },
  }
}

/** Waits before every operation: 0 to twice `meanMs` virtual milliseconds, evenly drawn. */
export function stagger(meanMs: number, generator: Generator): Generator {
  return {
    operations: operationsOf(generator),
    begin() {
      const next = generator.begin()
      return (turn) => {
        const asked = next(turn)
        return asked && { ...asked, delayMs: (asked.delayMs ?? 0) + turn.rng.between(0, 2 * meanMs) }
      }
    },
  }
}
