/**
 * Files that are damaged: a node is killed, bits flip or an end is cut off, and the node starts over what is left. The
 * victim's side: the bytes are others, and the node has read the file since. Which disks lie is drawn once per run, no
 * more of them than the simulation's budget allows (`lyingDisks`): that a majority loses its data proves nothing.
 */
import { closeSync, ftruncateSync, openSync, readSync, statSync, utimesSync, writeSync } from 'node:fs'
import { relative } from 'node:path'
import { most } from '../../../faults/budget.ts'
import { UsageError } from '../../../kernel/errors.ts'
import type { Rng } from '../../../sim/authoring/rng.ts'
import type { RealNode } from '../../cluster/cluster.ts'
import type { FaultInForce, Field, Preparation, RealNemesis } from '../nemesis.ts'
import { endNode, startAgain } from '../process-nemeses.ts'
import { filesOf } from './files.ts'

/** How long a node may take until it reads a damaged file. */
const READ_MS = 3000
const POLL_MS = 50
const MOST_CUT = 4096
const MOST_FLIPPED = 3

/** The variant that means all files. */
const ANY = 'any'

function prepare({ budget, nodes }: Preparation): void {
  if (most(budget.lyingDisks, nodes.length) > 0) return
  throw new UsageError(
    'ERR_WAVETANK_NEMESIS',
    'wavetank real: damaged files need `budget: { lyingDisks: 1 }` in the simulation: it says how many disks may lie',
  )
}

const ON_FILES = { group: 'disk', variants: [ANY], takesFiles: true, prepare } as const

interface Damage {
  readonly text: string
  readonly file: string
}

/** What an episode does to one file; null if it is too small. */
type Harm = (file: string, rng: Rng) => string | null

async function damage(field: Field, variant: string, harm: Harm): Promise<FaultInForce | null> {
  const liars = field
    .sameRng('disks that lie')
    .shuffle(field.nodes)
    .slice(0, most(field.budget.lyingDisks, field.nodes.length))
  const node = field.rng.shuffle(liars).find((each) => field.living.includes(each))
  if (node === undefined || filesOf(node, patternIn(variant)).length === 0) return null
  await endNode(field, node, 'kill')
  const files = filesOf(node, patternIn(variant))
  const done = files.length === 0 ? null : harmOne(node, field.rng.pick(files), field.rng, harm)
  return {
    text: done === null ? `kill of ${node.name}, no file to damage` : `${done.text} of ${node.name}`,
    targets: [node.name],
    async end() {
      const failed = await startAgain(field.cluster, [node])
      const injector = [`the node was killed, and ${done?.text ?? 'nothing'} damaged`, failed]
        .filter(Boolean)
        .join('; ')
      if (done === null || !(await isRead(done.file))) return { injector, victim: null }
      const serves = await field.cluster.serves(node, READ_MS)
      const then = serves ? 'serves' : node.process.alive ? 'runs and does not serve' : 'has ended'
      return {
        injector,
        victim: `${node.name} has read the damaged file since (its time of access) and ${then}`,
      }
    },
  }
}

function patternIn(variant: string): string | null {
  return variant === ANY ? null : variant
}

function harmOne(node: RealNode, file: string, rng: Rng, harm: Harm): Damage | null {
  const done = harm(file, rng)
  if (done === null) return null
  // A time of access before that of the last change: the next read sets it, also on mounts with `relatime`.
  utimesSync(file, 0, statSync(file).mtime)
  return { text: `${done} in /${relative(node.disk, file)}`, file }
}

/** Whether a file was read since its time of access was set back. */
async function isRead(file: string): Promise<boolean> {
  for (const untilMs = performance.now() + READ_MS; performance.now() < untilMs;) {
    try {
      if (statSync(file).atimeMs > 0) return true
    } catch {
      return true // removed: the node has looked at it
    }
    await new Promise((resolve) => setTimeout(resolve, POLL_MS))
  }
  return false
}

function cutEnd(file: string, rng: Rng): string | null {
  const { size } = statSync(file)
  if (size < 1) return null
  const cut = rng.between(1, Math.min(size, MOST_CUT))
  const descriptor = openSync(file, 'r+')
  ftruncateSync(descriptor, size - cut)
  closeSync(descriptor)
  return statSync(file).size === size - cut ? `${cut} bytes cut off` : null
}

function flipBits(file: string, rng: Rng): string | null {
  const { size } = statSync(file)
  if (size < 1) return null
  const descriptor = openSync(file, 'r+')
  const byte = Buffer.alloc(1)
  const places = Array.from({ length: rng.between(1, MOST_FLIPPED) }, () => rng.between(0, size - 1))
  const changed = [...new Set(places)].filter((place) => {
    readSync(descriptor, byte, 0, 1, place)
    const after = byte[0] ^ (1 << rng.between(0, 7))
    writeSync(descriptor, Buffer.from([after]), 0, 1, place)
    readSync(descriptor, byte, 0, 1, place)
    return byte[0] === after
  })
  closeSync(descriptor)
  return changed.length === 0 ? null : `bits flipped at ${changed.join(', ')}`
}

export const truncate: RealNemesis = {
  ...ON_FILES,
  name: 'truncate',
  family: 'torn-write',
  text: 'a node is killed and a file of it loses its end',
  begin: (field, variant) => damage(field, variant, cutEnd),
}

export const bitFlip: RealNemesis = {
  ...ON_FILES,
  name: 'bit-flip',
  family: 'bit-rot',
  text: 'a node is killed and bits of a file of it flip',
  begin: (field, variant) => damage(field, variant, flipBits),
}
