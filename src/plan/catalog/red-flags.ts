/**
 * Phrases that pass for an oracle, an exit criterion or a name, and decide nothing. The linter refuses them where they
 * stand; `instead` says what to write.
 */
import type { Catalogue, Entry } from './entry.ts'

export interface RedFlag extends Entry {
  readonly pattern: RegExp
  readonly instead: string
}

const FLAGS: readonly Omit<RedFlag, 'references'>[] = [
  {
    id: 'logs-look-fine',
    title: 'Logs look fine',
    pattern:
      /\blogs?\b[^.]{0,30}\b(fine|good|ok|okay|clean|normal|healthy)\b|\bno (errors?|exceptions?|warnings?) in (the )?logs?\b/i,
    text: 'A log says what its author thought of; a wrong answer is seldom logged.',
    instead: 'a checker over recorded operations, or a count with a bound',
  },
  {
    id: 'looks-right',
    title: 'Looks right',
    pattern:
      /\b(looks?|seems?|appears?|feels?) (right|good|fine|ok|okay|correct|stable|healthy|reasonable)\b|\bas expected\b|\bbehaves? (correctly|properly|normally)\b|\bworks? (fine|well|correctly|properly)\b/i,
    text: 'Nothing is compared with anything.',
    instead: 'the value, the relation and the bound that a machine compares',
  },
  {
    id: 'manual-inspection',
    title: 'Manual inspection',
    pattern:
      /\b(manual(ly)?|visual(ly)?|by (eye|hand)|eyeball\w*)\b|\b(check|inspect|look at) the (dashboard|graphs?|output)\b/i,
    text: 'What a person looks at once is not looked at in the next run.',
    instead: 'a command whose exit code or evidence file decides',
  },
  {
    id: 'no-crash',
    title: 'Does not crash',
    pattern:
      /\b(does|did|do|must|should) ?n[o']t crash\b|\bno crash(es)?\b|\bstays? (up|alive|healthy)\b|\bhealth ?checks? (pass|green|ok)\w*/i,
    text: 'A system that answers wrongly is alive.',
    instead: 'a property of the answers; liveness as a bound on time',
  },
  {
    id: 'eventually-without-bound',
    title: 'Eventually, without a bound',
    pattern: /\beventually\b(?![^.]*\b(within|after|by|under|in) (at most )?\d)/i,
    text: 'No run can falsify it.',
    instead: 'within N seconds after …',
  },
  {
    id: 'sleep-then-check',
    title: 'Fixed wait',
    pattern: /\b(wait|sleep|pause)s? (for )?\d+ ?(s|sec|seconds|ms|minutes?)\b[^.]*\b(then|and|before)\b/i,
    text: 'A fixed wait is too long on a good day and too short on a bad one.',
    instead: 'a condition of quiescence: nothing in flight, no background work, replicas equal',
  },
  {
    id: 'injector-said-so',
    title: 'The injector reported success',
    pattern:
      /\binjector (reports?|reported|says|said|returns?|returned) (success|ok)\b|\b(command|call) (succeeded|returned 0)\b/i,
    text: 'A fault aimed at nothing succeeds too.',
    instead: 'a signal at the victim: packets dropped, a boot id, ENOSPC',
  },
  {
    id: 'retry-until-green',
    title: 'Retry until it passes',
    pattern: /\b(retry|re-?run)\w* (until|till) (it )?(pass\w*|green|succeeds?)\b|\bflaky\b/i,
    text: 'The failing run was the evidence.',
    instead: 'keep the failing run, replay it, blame it',
  },
  {
    id: 'reasonable-time',
    title: 'In reasonable time',
    pattern:
      /\b(reasonable|acceptable|short|long enough) (time|period|while|latency)\b|\bfast enough\b|\b(quickly|soon|promptly)\b/i,
    text: 'Two readers have two numbers in mind.',
    instead: 'a number with a unit and a percentile',
  },
  {
    id: 'to-do',
    title: 'Left open',
    pattern: /\b(TODO|TBD|FIXME|XXX)\b|\?\?\?|^…$/,
    text: 'What is left open cannot be executed.',
    instead: 'the value, or a line in §9 and the scenario left out',
  },
]

export const RED_FLAGS: readonly RedFlag[] = FLAGS.map((flag) => ({
  ...flag,
  references: ['Barr et al.: The Oracle Problem in Software Testing, 2015'],
}))

/** The red flags in a text, in the order of the catalogue. */
export function redFlagsIn(text: string): readonly RedFlag[] {
  return RED_FLAGS.filter(({ pattern }) => pattern.test(text))
}

export const RED_FLAG_CATALOGUE: Catalogue<RedFlag> = {
  kind: 'red-flags',
  title: 'Red flags',
  about: 'Phrases that sound like an oracle and decide nothing; the linter refuses them.',
  entries: RED_FLAGS,
  details: ({ instead }) => [['instead', instead]],
}
