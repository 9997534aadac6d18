/**
 * The picture of a linearizability check, for an HTML page that opens from disk: a row per process, a bar per operation
 * from its invocation to its return, and through the bars the path of an order that works, up to the operation that
 * fits into none. Under it, each configuration in which such an order can end, with the reason why no step leads on;
 * choosing one draws its path.
 *
 * A pure function of history and result. It has no script, and every text from the history is escaped. Time
 * runs by events, evenly: order is what matters to a proof, and every history has it.
 */
import type { LinearizabilityProof } from '../../checkers/linearizable/proof.ts'
import type { Anomaly, CheckResult } from '../../checkers/result.ts'
import type { History } from '../../history/history.ts'
import type { Operation } from '../../history/operation.ts'
import { sameValue, show } from '../../history/value.ts'
import { escapeMarkup } from '../form/markup.ts'

/** More bars than these tell a person nothing. */
const MAX_BARS = 60
const LEFT = 110
const ROW = 38
const BAR = 26
const GAP_WIDTH = 60

/** For a page with `FIGURE_STYLE`; of several objects the first is drawn, which is a failing one. */
export function linearizabilityFigure(history: History, result: CheckResult): string {
  const part = result.parts.length > 0 ? result.parts[0] : result
  const proof = (part.details.proof ?? part.details.partial ?? null) as LinearizabilityProof | null
  if (proof !== null) return proofFigure(history, part, proof)
  const witness = part.details.witness as ArrayLike<number> | null | undefined
  if (part.verdict === 'valid' && witness) {
    const shown = Array.from({ length: Math.min(witness.length, MAX_BARS) }, (_, i) => witness[i])
    const more =
      witness.length > shown.length ? `<p>The first ${shown.length} of ${witness.length} operations.</p>` : ''
    return `<div class="picture"><figure>${drawing(history, { bars: shown, paths: [shown], stuck: null })}</figure>${more}</div>`
  }
  return part.anomalies
    .slice(0, 3)
    .map((anomaly) => anomalyFigure(history, anomaly))
    .join('\n')
}

/** What a monitor found: the operations that contradict each other, without a path. */
function anomalyFigure(history: History, { operations }: Anomaly): string {
  const bars = operations.slice(0, MAX_BARS)
  return `<div class="picture"><figure>${drawing(history, { bars, paths: [], stuck: null })}</figure></div>`
}

function proofFigure(history: History, part: CheckResult, proof: LinearizabilityProof): string {
  const configurations = proof.configurations.slice(0, MAX_PATHS)
  const wanted = new Set<number>([proof.stuck])
  for (const { next } of configurations) for (const { operation } of next) wanted.add(operation)
  for (let back = 1; back <= 24 && wanted.size < MAX_BARS; back++) {
    for (const { tail } of configurations) if (tail.length >= back) wanted.add(tail[tail.length - back])
  }
  const bars = [...wanted].slice(0, MAX_BARS)
  const paths = configurations.map(({ tail }) => tail.filter((id) => wanted.has(id)))
  const hidden = Math.max(0, proof.prefix.length - (configurations[0]?.tail.length ?? 0))
  const before = hidden > 0 ? `<p>${hidden} operations before these are linearized and not drawn.</p>` : ''
  const what =
    part.verdict === 'invalid' ? 'fits into no order' : 'is where the search stood when it was stopped'
  const choices = configurations.map(
    (_, i) => `<input type="radio" name="configuration" id="p${i}"${i === 0 ? ' checked' : ''}>`,
  )
  const labels = configurations.map((configuration, i) => {
    const steps = configuration.next.map(
      ({ operation, description, why }) =>
        `<li><code>${operation}: ${escapeMarkup(description)}</code> ${escapeMarkup(why)}</li>`,
    )
    return `<label for="p${i}"><b>state ${escapeMarkup(configuration.state)}</b><ul>${steps.join('')}</ul></label>`
  })
  return `<p class="stuck-note">Operation ${proof.stuck}, <code>${escapeMarkup(proof.description)}</code>, ${what}.</p>${before}
<div class="picture choice">${choices.join('')}<figure>${drawing(history, { bars, paths, stuck: proof.stuck })}</figure>
<h2>Where orders of everything before it end, and why no step leads on</h2><div class="configurations">${labels.join('')}</div></div>`
}

interface Scene {
  /** Ids of the operations drawn. */
  readonly bars: readonly number[]
  /** Ids in linearization order, one list per path. */
  readonly paths: readonly (readonly number[])[]
  readonly stuck: number | null
}

function drawing(history: History, { bars, paths, stuck }: Scene): string {
  const operations = new Map(lookUp(history, new Set(bars)).map((operation) => [operation.id, operation]))
  const events = new Set<number>()
  for (const { invokeIndex, completeIndex, type } of operations.values()) {
    events.add(invokeIndex)
    if (type !== 'info' && completeIndex !== null) events.add(completeIndex)
  }
  const rank = new Map([...events].sort((a, b) => a - b).map((event, i) => [event, i]))
  const width = LEFT + (rank.size + 1) * GAP_WIDTH
  const processes = [...new Set([...operations.values()].map(({ process }) => process))].sort(byName)
  const rowOf = new Map(processes.map((process, row) => [process, row]))
  const x = (gap: number): number => LEFT + gap * GAP_WIDTH
  const y = (operation: Operation): number => rowOf.get(operation.process)! * ROW + 6
  const startOf = ({ invokeIndex }: Operation): number => rank.get(invokeIndex)!
  const endOf = ({ type, completeIndex }: Operation): number =>
    type === 'info' || completeIndex === null ? rank.size : rank.get(completeIndex)!

  const rows = processes.map(
    (process, row) =>
      `<text x="4" y="${row * ROW + 24}" class="name">process ${escapeMarkup(String(process))}</text><line x1="${LEFT}" x2="${width}" y1="${(row + 1) * ROW}" y2="${(row + 1) * ROW}" class="row"/>`,
  )
  const rectangles = [...operations.values()].map((operation) => {
    const from = x(startOf(operation))
    const length = Math.max(6, x(endOf(operation)) - from)
    const kind = operation.id === stuck ? 'stuck' : operation.type
    const label = describe(operation)
    const fits = Math.max(6, Math.floor(length / 7.4))
    return `<g class="${kind}"><title>${escapeMarkup(`${operation.id}: ${label} (process ${String(operation.process)})`)}</title><rect x="${from}" y="${y(operation)}" width="${length}" height="${BAR}" rx="4"/><text x="${from + 5}" y="${y(operation) + 17}">${escapeMarkup(clip(label, fits))}</text></g>`
  })
  const lines = paths.map((path, number) => {
    const points = moments(
      path.flatMap((id) => operations.get(id) ?? []),
      startOf,
    )
    const dots = points.map(
      ({ operation, at }) =>
        `<circle cx="${x(at).toFixed(1)}" cy="${y(operation) + BAR - 4}" r="4"><title>${operation.id}</title></circle>`,
    )
    const line = points.map(({ operation, at }) => `${x(at).toFixed(1)},${y(operation) + BAR - 4}`).join(' ')
    return `<g class="path path-${number}"><polyline points="${line}"/>${dots.join('')}</g>`
  })
  const height = processes.length * ROW + 4
  return `<svg viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img">${rows.join('')}${rectangles.join('')}${lines.join('')}</svg>`
}

/** A moment for each operation, in order and inside its bar: as early as the order allows, evenly in each gap. */
function moments(
  order: readonly Operation[],
  startOf: (operation: Operation) => number,
): { operation: Operation; at: number }[] {
  const gaps: number[] = []
  for (const operation of order) gaps.push(Math.max(gaps.at(-1) ?? 0, startOf(operation)))
  const sizes = new Map<number, number>()
  for (const gap of gaps) sizes.set(gap, (sizes.get(gap) ?? 0) + 1)
  const used = new Map<number, number>()
  return order.map((operation, i) => {
    const place = (used.get(gaps[i]) ?? 0) + 1
    used.set(gaps[i], place)
    return { operation, at: gaps[i] + place / (sizes.get(gaps[i])! + 1) }
  })
}

function lookUp(history: History, ids: ReadonlySet<number>): Operation[] {
  const found: Operation[] = []
  for (let i = 0; i < history.length; i++) if (ids.has(history.id[i])) found.push(history.operation(i))
  return found
}

function byName(a: number | string | null, b: number | string | null): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b
  return String(a) < String(b) ? -1 : String(a) > String(b) ? 1 : 0
}

function describe({ f, key, input, output, type }: Operation): string {
  const of = key === null ? '' : `[${show(key, 16)}]`
  const asked = input === null ? '' : show(input, 40)
  const seen =
    type === 'info'
      ? ' → ?'
      : input !== null && (output === null || sameValue(input, output))
        ? ''
        : ` → ${show(output, 40)}`
  return `${f}${of}${asked === '' ? '' : ` ${asked}`}${seen}`
}

function clip(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length - 1)}…`
}

/** Configurations drawn; the proof keeps no more. */
const MAX_PATHS = 10

/** Only the path of the chosen configuration is seen. */
function pathRules(): string {
  return Array.from(
    { length: MAX_PATHS },
    (_, i) =>
      `#p${i}:checked~figure .path-${i}{display:inline}#p${i}:checked~.configurations label[for=p${i}]{border-color:#0969da}`,
  ).join('')
}

/** For pages that take the figure in: what is around it, and the figure. */
export const FIGURE_STYLE = `
body{font:15px/1.45 system-ui,sans-serif;margin:2em;color:#222;background:#fff}
h1{font-size:1.3em}h1.valid{color:#1a7f37}h1.invalid{color:#cf222e}h1.unknown{color:#9a6700}h2{font-size:1em}
.message{white-space:pre-wrap;max-width:70em}
@media(prefers-color-scheme:dark){body{color:#ddd;background:#16181d}}
.picture figure{margin:1em 0;overflow-x:auto}.picture svg{font:12px ui-monospace,monospace;width:auto;max-width:none}
.picture .name{fill:#666}.picture .row{stroke:#eee}
.picture .ok rect{fill:#bfe3c6}.picture .fail rect{fill:#f3c1c6}.picture .info rect{fill:#fbe3a6;opacity:.75}
.picture .stuck rect{fill:#ff8a8f;stroke:#cf222e;stroke-width:2}
.picture polyline{fill:none;stroke:#0969da;stroke-width:1.5}.picture circle{fill:#0969da}
.choice>input{position:absolute;opacity:0}.choice .path{display:none}
.configurations{display:flex;flex-wrap:wrap;gap:.8em}.configurations label{border:2px solid #ddd;border-radius:6px;padding:.5em .8em;cursor:pointer}
.configurations ul{margin:.3em 0 0;padding-left:1.2em}
@media(prefers-color-scheme:dark){.picture svg text{fill:#eee}.picture .name{fill:#999}.picture .row{stroke:#2a2d34}
.picture .ok rect{fill:#1f5a32}.picture .fail rect{fill:#7a2630}.picture .info rect{fill:#6b5416}.picture .stuck rect{fill:#8f1d26}
.configurations label{border-color:#444}}
${pathRules()}`
