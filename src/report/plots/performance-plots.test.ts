import { describe, expect, it } from 'vitest'
import { latencyPlot, ratePlot, type OperationPoint } from './performance-plots.ts'

const POINTS: OperationPoint[] = [
  { f: 'read', outcome: 'ok', beginS: 0, latencyMs: 1 },
  { f: 'read', outcome: 'info', beginS: 5, latencyMs: 1000 },
]
const FAULTS = [{ beginS: 4, endS: 8, text: 'cut <n1> | n2' }]

describe('plots of a run', () => {
  it('have a dot for every operation, higher for those that took longer', () => {
    const heights = [...latencyPlot(POINTS, FAULTS).matchAll(/cy="([\d.]+)"/g)].map(([, y]) => Number(y))
    expect(heights).toHaveLength(2)
    expect(heights[1]).toBeLessThan(heights[0])
  })

  it('shade the period of a fault, with its text escaped', () => {
    const [, x, width] = /<rect x="([\d.]+)" y="30" width="([\d.]+)"/.exec(latencyPlot(POINTS, FAULTS))!
    expect(Number(x)).toBeCloseTo(60 + (4 / 8) * 820, 0)
    expect(Number(width)).toBeCloseTo((4 / 8) * 820, 0)
    expect(latencyPlot(POINTS, FAULTS)).toContain('cut &#60;n1&#62; | n2')
  })

  it('have a line for every outcome, and survive a run without operations', () => {
    expect(ratePlot(POINTS, FAULTS).match(/<polyline/g)).toHaveLength(3)
    expect(ratePlot([], [])).toContain('</svg>')
    expect(latencyPlot([], [])).toContain('</svg>')
  })
})
