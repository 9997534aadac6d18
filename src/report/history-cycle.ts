/**
 * A cycle of dependencies as a drawing: the transactions on a circle, an arrow from each to the one that must come
 * after it, and under it why. Everything from the history is escaped text.
 */
import { escapeHtml } from './history-page.ts'

/** An edge of a cycle, as anomalies of transactions carry it in their details. */
export interface DrawnStep {
  readonly from: number
  readonly to: number
  readonly kind: string
  readonly because: string
}

const SIZE = 420
const CENTRE = SIZE / 2
const RADIUS = 150
const NODE = 24
const LABEL_GAP = 12

/** The steps of a cycle when an anomaly's details have one, else null. */
export function stepsOf(details: unknown): DrawnStep[] | null {
  const { cycle } = Object(details) as { cycle?: unknown }
  if (!Array.isArray(cycle) || cycle.length === 0 || cycle.length > 24) return null
  const steps = cycle.map((step) => Object(step) as Partial<DrawnStep>)
  const complete = steps.every(
    ({ from, to, kind }) => typeof from === 'number' && typeof to === 'number' && typeof kind === 'string',
  )
  return complete ? steps.map((step) => ({ ...step, because: step.because ?? '' }) as DrawnStep) : null
}

export function cycleDrawing(steps: readonly DrawnStep[]): string {
  const angle = (i: number) => (2 * Math.PI * i) / steps.length - Math.PI / 2
  const point = (i: number): [number, number] => [
    CENTRE + RADIUS * Math.cos(angle(i)),
    CENTRE + RADIUS * Math.sin(angle(i)),
  ]
  const arrows = steps.map(({ kind }, i) =>
    arrow(point(i), point((i + 1) % steps.length), kind, steps.length),
  )
  const nodes = steps.map(({ from }, i) => {
    const [x, y] = point(i)
    const place = `x="${x.toFixed(1)}" y="${(y + 4).toFixed(1)}"`
    return `<circle cx="${x.toFixed(1)}" cy="${y.toFixed(1)}" r="${NODE}"/><text ${place} text-anchor="middle">T${i + 1}</text><title>operation ${from}</title>`
  })
  const reasons = steps.map(({ kind, because, from }, i) => {
    const next = `T${((i + 1) % steps.length) + 1}`
    return `<li><b>T${i + 1} → ${next}</b> <span class="${cssClass(kind)}">${escapeHtml(kind)}</span> (operation ${from}) ${escapeHtml(because)}</li>`
  })
  return `<svg class="cycle" viewBox="0 0 ${SIZE} ${SIZE}" role="img"><defs><marker id="head" markerWidth="9" markerHeight="7" refX="8" refY="3.5" orient="auto"><path d="M0 0 9 3.5 0 7z"/></marker></defs>${arrows.join('')}${nodes.join('')}</svg><ol>${reasons.join('')}</ol>`
}

/** Bent outwards, so that the two arrows of a cycle of two lie apart. */
function arrow([x1, y1]: [number, number], [x2, y2]: [number, number], kind: string, count: number): string {
  const [dx, dy] = [x2 - x1, y2 - y1]
  const length = Math.hypot(dx, dy) || 1
  const bend = count === 2 ? 50 : 18
  const [mx, my] = [(x1 + x2) / 2 + (dy / length) * bend, (y1 + y2) / 2 - (dx / length) * bend]
  const towards = (x: number, y: number): [number, number] => {
    const distance = Math.hypot(mx - x, my - y) || 1
    return [x + ((mx - x) / distance) * NODE, y + ((my - y) / distance) * NODE]
  }
  const [sx, sy] = towards(x1, y1)
  const [ex, ey] = towards(x2, y2)
  const path = [sx, sy, mx, my, ex, ey].map((value) => value.toFixed(1))
  const [lx, ly] = [mx + (dy / length) * LABEL_GAP, my - (dx / length) * LABEL_GAP + 4]
  const label = `<text x="${lx.toFixed(1)}" y="${ly.toFixed(1)}" text-anchor="middle">${escapeHtml(kind)}</text>`
  return `<path class="edge ${cssClass(kind)}" d="M${path[0]} ${path[1]}Q${path[2]} ${path[3]} ${path[4]} ${path[5]}" marker-end="url(#head)"/>${label}`
}

function cssClass(kind: string): string {
  return /^[a-z]+$/.test(kind) ? kind : 'other'
}

export const CYCLE_STYLE = `
svg.cycle{max-width:420px;display:block}svg.cycle circle{fill:#eef2f7;stroke:#57606a}
.edge{fill:none;stroke:#57606a;stroke-width:1.6}.edge.ww{stroke:#8250df}.edge.wr{stroke:#1a7f37}.edge.rw{stroke:#cf222e}
.edge.process,.edge.realtime{stroke:#0969da;stroke-dasharray:5 3}
span.ww{color:#8250df}span.wr{color:#1a7f37}span.rw{color:#cf222e}span.process,span.realtime{color:#0969da}
@media(prefers-color-scheme:dark){svg.cycle circle{fill:#22252c}}
`
