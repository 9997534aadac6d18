/**
 * What checkers answered, added up over the seeds of a campaign. Invalid beats unknown, and unknown beats valid, so one
 * seed that a checker could not decide leaves the campaign undecided. A seed in which a checker had nothing to check says
 * nothing either way: it counts only if there was no other.
 */
import { NOTHING_CHECKED, worst } from '../../checkers/result.ts'
import type { CheckerCount, SeedResult } from './result.ts'

/** The answers of one checker in two parts of a campaign as one. */
export function addCheckerCounts(a: CheckerCount, b: CheckerCount): CheckerCount {
  const answer = isEmpty(a) ? b : isEmpty(b) || worst(a.verdict, b.verdict) === a.verdict ? a : b
  return {
    ...answer,
    checks: a.checks + b.checks,
    operations: a.operations + b.operations,
    ignored: a.ignored + b.ignored,
  }
}

function isEmpty({ verdict, reason }: CheckerCount): boolean {
  return verdict === 'unknown' && reason === NOTHING_CHECKED
}

/** One sentence per checker that could not decide the campaign: `merged` has its answers, `seeds` where they came from. */
export function undecidedReasons(merged: readonly CheckerCount[], seeds: readonly SeedResult[]): string[] {
  return merged
    .filter(({ verdict }) => verdict === 'unknown')
    .map((row) => {
      if (isEmpty(row)) return `checker '${row.name}' had nothing to check in any seed`
      const undecided = seeds.filter(({ checkers }) =>
        checkers.some((one) => one.name === row.name && one.verdict === 'unknown' && !isEmpty(one)),
      )
      const others = undecided.length === 1 ? '' : ` and ${undecided.length - 1} more`
      return `checker '${row.name}' could not decide seed ${undecided[0].seed}${others}: ${row.reason}`
    })
}
