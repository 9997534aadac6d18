/**
 * The classic programs of the concurrency-testing literature, and some that services are made of, in one list with the
 * numbers of a reference model. A strategy without a number where others have one did not find it there in every trial.
 */
import { versions, type Program } from './program.ts'
import * as locks from './programs/locks-and-queues.ts'
import * as services from './programs/services.ts'
import * as memory from './programs/shared-memory.ts'

function program(
  name: string,
  make: Parameters<typeof versions>[0],
  reference?: Readonly<Record<string, number>>,
): Program {
  return { name, ...versions(make), reference }
}

export const PROGRAMS: readonly Program[] = [
  program('reorder_3', memory.reorder(3), { random: 4.5, pct: 4.5, pos: 2.9, urw: 3.3 }),
  program('reorder_5', memory.reorder(5), { random: 5.9, pct: 12, pos: 4, urw: 3.5 }),
  program('reorder_10', memory.reorder(10), { random: 7.5, pct: 43, pos: 6.8, urw: 6.9 }),
  program('reorder_20', memory.reorder(20), { random: 15, pct: 202, pos: 12, urw: 12 }),
  program('reorder_50', memory.reorder(50), { random: 29, pos: 28, urw: 29 }),
  program('reorder_100', memory.reorder(100)),
  program('twostage', memory.twostage(2), { random: 26, pct: 7.2, pos: 9.5, urw: 14 }),
  program('twostage_20', memory.twostage(20), { random: 150, pct: 443, pos: 73, urw: 124 }),
  program('twostage_100', memory.twostage(100)),
  program('lazy', memory.lazy, { random: 3, pct: 2.3, pos: 2.8, urw: 3 }),
  program('account', memory.account, { random: 2.3, pct: 3.1, pos: 3.6, urw: 3.2 }),
  program('wrong lock', memory.wrongLock),
  program('deadlock', locks.deadlock, { random: 1.8, pct: 4.6, pos: 2.8, urw: 1.7 }),
  program('dining_3', locks.dining(3), { random: 2.6, pct: 14, pos: 4.7, urw: 2.5 }),
  program('dining_5', locks.dining(5), { random: 6.1, pct: 241, pos: 15, urw: 5.1 }),
  program('dining_10', locks.dining(10), { random: 41, pos: 215, urw: 19 }),
  program('bluetooth driver', locks.bluetooth),
  program('token ring', memory.tokenRing),
  program('stack', locks.stack),
  program('bounded buffer 3p3c', locks.boundedBuffer(3, 3), { random: 5.2, pct: 16, pos: 4.8, urw: 3.9 }),
  program('work-stealing queue', locks.workStealing),
  program('string buffer', locks.stringBuffer),
  program('lost update', memory.lostUpdate(2, false), { random: 1.7, pct: 2, pos: 3.1, urw: 1.6 }),
  program('lose all but one of 5', memory.lostUpdate(5, true), { random: 4.2, pct: 14, pos: 11, urw: 2.6 }),
  program('lose all but one of 10', memory.lostUpdate(10, true), { random: 9.1, pct: 53, pos: 32, urw: 3.9 }),
  program('TOCTTOU pad 5', memory.tocttou(5), { random: 9.4, pct: 29, pos: 19, urw: 6.3 }),
  program('TOCTTOU pad 50', memory.tocttou(50), { random: 24, pct: 327, pos: 125, urw: 19 }),
  program('needle pad 10', memory.needle(10), { pct: 38, pos: 25, urw: 24 }),
  program('needle pad 100', memory.needle(100), { pct: 389, pos: 206, urw: 203 }),
  program('double-checked init', services.doubleChecked),
  program('cache stampede', services.cacheStampede),
  program('lease with clock skew', services.leaseWithSkew),
  program('retried POST', services.retriedPost),
  program('two generals', services.twoGenerals),
  program('rename without fsync', services.renameWithoutFsync),
]
