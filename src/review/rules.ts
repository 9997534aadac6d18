/** All rules, the gravest first. docs/review.md and the report take their words from here. */
import type { Rule } from './rule.ts'
import { answerBeforeSync } from './rules/answer-before-sync.ts'
import { blockedThread } from './rules/blocked-thread.ts'
import { checkThenAct } from './rules/check-then-act.ts'
import { earlyAcknowledgement } from './rules/early-acknowledgement.ts'
import { forgottenPromise } from './rules/forgotten-promise.ts'
import { lostUpdate } from './rules/lost-update.ts'
import { messageBoundary } from './rules/message-boundary.ts'
import { missingTimeout } from './rules/missing-timeout.ts'
import { nativeAddon } from './rules/native-addon.ts'
import { overlappingInterval } from './rules/overlapping-interval.ts'
import { randomIdentity } from './rules/random-identity.ts'
import { remoteClock } from './rules/remote-clock.ts'
import { renameBeforeSync } from './rules/rename-before-sync.ts'
import { retriedRequest } from './rules/retried-request.ts'
import { swallowedError } from './rules/swallowed-error.ts'
import { unboundedQueue } from './rules/unbounded-queue.ts'
import { unheardError } from './rules/unheard-error.ts'
import { unorderedData } from './rules/unordered-data.ts'

export const RULES: readonly Rule[] = [
  nativeAddon,
  blockedThread,
  answerBeforeSync,
  renameBeforeSync,
  lostUpdate,
  checkThenAct,
  earlyAcknowledgement,
  retriedRequest,
  remoteClock,
  messageBoundary,
  unheardError,
  forgottenPromise,
  overlappingInterval,
  swallowedError,
  unorderedData,
  randomIdentity,
  unboundedQueue,
  missingTimeout,
]
