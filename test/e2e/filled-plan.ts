/** A scaffolded plan as a person would fill it in for a key-value server with one simulation. */

const HISTORY = 'all 12 columns but `node_seen`, which has no meaning with one server'

const CONFIDENCE =
  'If S1 passes at hardening, no stale or lost write was observed under packet loss that landed. ' +
  'This holds for one server and a few clients. Power loss is untested. It says nothing about performance.'

/** `simulation` is the name of the simulation that its scenario runs. */
export function filledPlan(text: string, simulation: string): string {
  const lines = text.split('\n').map((line) => {
    if (line.startsWith('### S1 ')) return '### S1 A read returns the last acknowledged write'
    const question = /^ {2}- `(.*?)`: no, TODO/.exec(line)?.[1]
    if (question !== undefined) return `  - \`${question}\`: ${AUDIT[question]}`
    const field = /^- \*\*(.*?)\*\*: /.exec(line)?.[1] ?? ''
    return field in FIELDS ? `- **${field}**: ${FIELDS[field].replace('SIMULATION', simulation)}` : line
  })
  return lines
    .join('\n')
    .replace(/\| maybe \| TODO: [^|]*\|/g, '| no | one process without a disk |')
    .replace(/(## §7d Confidence\n\n).*/, `$1${CONFIDENCE}`)
    .replace(/TODO(: [^|\n]*)?/g, 'one server, asked over HTTP')
}

const AUDIT: Readonly<Record<string, string>> = {
  'fair-baseline': 'n/a, nothing is compared with a baseline',
  'hidden-retries': 'yes, the client never sends a request again',
  'one-topology': 'yes, one server is all there is',
}

const FIELDS: Readonly<Record<string, string>> = {
  Workload: 'reads and writes of a few keys',
  Faults: '`packet-loss`',
  Oracle: '`linearizability`: every read against all writes of its key',
  'Negative control': '`simulation SIMULATION` of a server that forgets',
  Run: '`simulation SIMULATION`',
  'Smoke budget': 'seeds 3, level sunny, operations 50, timeout 120s',
  'Hardening budget': 'seeds 100, level stormy, operations 3000, timeout 10m',
  'Release budget': 'not provided: it is a first plan. Revisit when: it is released.',
  Model: 'register',
  'Operation history': HISTORY,
  Checker: '`linearizable register`',
  Nemesis: '`packet-loss`',
  'Landing evidence': 'packets dropped on the links',
  'Ambiguous outcomes': 'a request that timed out may have happened',
  'Reduction plan': 'the failing seed is shrunk and kept',
}
