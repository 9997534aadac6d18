/** Processes that the kernel does not run for a while. The victim's side is what it says of the group and the threads. */
import { join } from 'node:path'
import { UsageError } from '../../kernel/errors.ts'
import type { RealNode } from '../cluster/cluster.ts'
import { RUN_VARIABLE } from '../cleanup/manifest.ts'
import { freezerRefusal, FrozenGroup, groupRoot, ranNs } from './freezer.ts'
import type { Field, RealNemesis } from './nemesis.ts'
import { strays } from './process-nemeses.ts'
import { drawTargets, nodeNames, TARGETS } from './targets.ts'

const FREEZES_MS = 3000
const POLL_MS = 20
/** A signal wakes a frozen thread for a moment, and it is frozen again. */
const MOST_RAN_NS = 2e6

interface Frozen {
  readonly node: RealNode
  readonly group: FrozenGroup
  /** Of the process that was frozen; a later one of the node runs. */
  readonly pid: number | undefined
  readonly processes: number
  /** What its threads had run when all stood still; null if one went on. */
  readonly ranNs: number | null
}

let groups = 0

/** Null if the node has no processes to freeze. */
async function frozen(field: Field, root: string, node: RealNode): Promise<Frozen | null> {
  const { pids, id } = node.process
  if (pids.length === 0) return null
  const name = `wavetank-${field.environment[RUN_VARIABLE]}-${node.name}-${++groups}`
  const group = new FrozenGroup(join(root, name))
  field.willMakeGroup(group.path)
  group.take(root, pids)
  const untilMs = performance.now() + FREEZES_MS
  while (!group.isFrozen && performance.now() < untilMs)
    await new Promise((resolve) => setTimeout(resolve, POLL_MS))
  return { node, group, pid: id?.pid, processes: pids.length, ranNs: standsStill(field, node, group) }
}

/** What the threads of a frozen node have run; null if a process of it is outside of the group, or the group runs. */
function standsStill(field: Field, node: RealNode, group: FrozenGroup): number | null {
  const held = new Set(group.pids)
  const isWhole = [...node.process.pids, ...strays(field, node)].every((pid) => held.has(pid))
  if (!isWhole || held.size === 0 || !group.isFrozen) return null
  return [...held].reduce((sum, pid) => sum + ranNs(pid), 0)
}

/** Whether it has stood still until now. What was killed meanwhile stood still until then. */
function stood(field: Field, { node, group, pid, ranNs: before }: Frozen): boolean {
  if (before === null) return false
  if (!node.process.alive || node.process.id?.pid !== pid) return true
  const after = standsStill(field, node, group)
  return after !== null && after - before <= MOST_RAN_NS * group.pids.length
}

export const freeze: RealNemesis = {
  name: 'freeze',
  family: 'pause',
  group: 'process',
  text: 'nodes stand still by the kernel’s freezer, which no program can see, and go on later',
  variants: TARGETS,
  prepare() {
    const reason = freezerRefusal()
    if (reason === null) return
    throw new UsageError(
      'ERR_WAVETANK_NEMESIS',
      `wavetank real: freeze needs the kernel’s freezer: ${reason}; \`pause\` stops nodes by signals`,
    )
  },
  async begin(field, variant) {
    const root = groupRoot()
    const victims = await drawTargets(field, variant)
    if (victims.length === 0) return null
    const all = root === null ? [] : await Promise.all(victims.map((node) => frozen(field, root, node)))
    return {
      text: `freeze ${nodeNames(victims)}`,
      targets: victims.map(({ name }) => name),
      async end() {
        const held = all.filter((each) => each !== null)
        const landed = held.length === victims.length && held.every((each) => stood(field, each))
        for (const { group } of held) group.release()
        const processes = held.reduce((sum, each) => sum + each.processes, 0)
        return {
          injector: `a control group for each of ${nodeNames(victims)}, frozen and thawed`,
          victim: landed
            ? `${processes} processes of ${nodeNames(victims)} were frozen at both ends, and ran for at most ${MOST_RAN_NS / 1e6} ms each in between`
            : null,
        }
      },
    }
  },
}
