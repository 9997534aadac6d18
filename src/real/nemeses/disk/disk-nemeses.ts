/** Disks that are full, read-only, failing or slow, for the files of a node. The victim's side is the error that it got. */
import type { FaultInForce, Field, Preparation, RealNemesis } from '../nemesis.ts'
import type { RealNode } from '../../cluster/cluster.ts'
import { drawTargets, nodeNames, TARGETS } from '../targets.ts'
import { checkTracing, FailingCalls, type Injection } from './failing-calls.ts'

const WRITES = ['write', 'pwrite64', 'writev', 'pwritev', 'pwritev2']
const READS = ['read', 'pread64', 'readv', 'preadv', 'preadv2']
const SYNCS = ['fsync', 'fdatasync', 'sync_file_range', 'msync']
const CHANGES =
  'ftruncate truncate fallocate rename renameat renameat2 link linkat unlink unlinkat mkdir mkdirat rmdir'.split(
    ' ',
  )

const ON_DISK = {
  group: 'disk',
  variants: TARGETS,
  prepare: ({ path }: Preparation) => checkTracing(path),
} as const

/** Calls of some nodes fail or stall until the fault ends; landed if every one of the nodes has met it. */
async function strike(
  { environment }: Field,
  victims: readonly RealNode[],
  text: string,
  injections: readonly Injection[],
): Promise<FaultInForce | null> {
  if (victims.length === 0) return null
  const tracers = victims.map((node) => new FailingCalls(node, injections, environment))
  for (const { changed } of victims) changed.add('disk') // a process has one tracer at most
  await Promise.all(tracers.map((tracer) => tracer.begin()))
  return {
    text: `${text} ${nodeNames(victims)}`,
    targets: victims.map(({ name }) => name),
    landed: () => tracers.every((tracer) => tracer.hits().size > 0),
    async end() {
      await Promise.all(tracers.map((tracer) => tracer.end()))
      for (const { changed } of victims) changed.delete('disk')
      const problems = tracers.flatMap(({ problem }) => (problem === null ? [] : [problem]))
      const effects = injections.map(({ calls, effect }) => `${calls[0]} and its like: ${effect}`).join('; ')
      const injector = [`strace at the files of ${nodeNames(victims)} (${effects})`, ...problems].join('; ')
      const seen = tracers.map((tracer) =>
        [...tracer.hits()].map(([hit, times]) => `${times} × ${hit}`).join(', '),
      )
      return {
        injector,
        victim: seen.includes('')
          ? null
          : victims.map(({ name }, index) => `calls of ${name}: ${seen[index]}`).join('; '),
      }
    },
  }
}

export const diskFull: RealNemesis = {
  ...ON_DISK,
  name: 'disk-full',
  family: 'disk-full',
  text: 'disks have no room left: every write fails (ENOSPC)',
  begin: async (field, variant) =>
    strike(field, await drawTargets(field, variant, 'disk'), 'full disk of', [
      { calls: [...WRITES, 'fallocate'], effect: 'error=ENOSPC' },
    ]),
}

export const readOnly: RealNemesis = {
  ...ON_DISK,
  name: 'read-only',
  family: 'disk-error',
  text: 'disks are read-only, as after an error of the file system (EROFS)',
  begin: async (field, variant) =>
    strike(field, await drawTargets(field, variant, 'disk'), 'read-only disk of', [
      { calls: [...WRITES, ...CHANGES], effect: 'error=EROFS' },
    ]),
}

export const diskError: RealNemesis = {
  ...ON_DISK,
  name: 'disk-error',
  family: 'disk-error',
  text: 'some reads and writes fail (EIO)',
  async begin(field, variant) {
    const every = field.rng.between(2, 5)
    return strike(
      field,
      await drawTargets(field, variant, 'disk'),
      `every ${every}th read and write fails on`,
      [
        // A thread counts for itself: its first call fails, so that a program with few calls meets the fault at all.
        { calls: [...READS, ...WRITES], effect: `error=EIO:when=1+${every}` },
      ],
    )
  },
}

export const syncError: RealNemesis = {
  ...ON_DISK,
  name: 'sync-error',
  family: 'sync-error',
  text: 'fsync fails (EIO)',
  begin: async (field, variant) =>
    strike(field, await drawTargets(field, variant, 'disk'), 'fsync fails on', [
      { calls: SYNCS, effect: 'error=EIO' },
    ]),
}

const MS = 1000

export const diskSlow: RealNemesis = {
  ...ON_DISK,
  name: 'disk-slow',
  family: 'disk-slow',
  text: 'writes and fsync take long',
  async begin(field, variant) {
    const [syncMs, writeMs] = [field.rng.between(20, 500), field.rng.between(1, 50)]
    const text = `fsync ${syncMs} ms and writes ${writeMs} ms slower on`
    return strike(field, await drawTargets(field, variant, 'disk'), text, [
      { calls: SYNCS, effect: `delay_enter=${syncMs * MS}` },
      { calls: WRITES, effect: `delay_enter=${writeMs * MS}` },
    ])
  },
}
