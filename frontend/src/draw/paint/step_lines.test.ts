import { expect, test } from 'vitest'

import { Viewport } from '../time/viewport'
import { paintStepLines } from './step_lines'

/** Steps of `period` px as lines: where each lies, and how strong it is. */
function lines(starts: readonly number[], length: number): readonly (readonly [x: number, alpha: number])[] {
  const drawn: (readonly [number, number])[] = []
  const context = {
    globalAlpha: 1,
    fillStyle: '',
    fillRect(x: number) {
      drawn.push([x, this.globalAlpha])
    },
  }
  const view = new Viewport(0, 1000)
  view.width = 1000
  const steps = starts.map((start_ns) => ({ start_ns, end_ns: start_ns + length }))
  paintStepLines(context, steps, view, 0, 1000, '#000', 9)
  return drawn
}

function every(period: number): readonly number[] {
  return Array.from({ length: Math.floor(1000 / period) }, (_, i) => i * period)
}

test('lines of steps never hide what lies beneath: the nearer they are the fainter, and from 8 px on there are none', () => {
  for (const period of [0.5, 1, 3, 8]) expect(lines(every(period), period * 0.99)).toEqual([])
  for (const period of [10, 16, 31, 50, 200]) {
    const drawn = lines(every(period), period * 0.99)
    expect(drawn.length).toBeGreaterThan(1000 / period - 1)
    expect(drawn.reduce((sum, [, alpha]) => sum + alpha, 0) / 1000).toBeLessThan(0.017)
  }
})

test('steps that are far apart have both their ends, and the end of one that the next one follows is one line', () => {
  expect(lines([100, 200], 50).map(([x]) => x)).toEqual([100, 150, 200, 250])
  expect(lines([100, 200], 99.6).map(([x]) => x)).toEqual([100, 200, 300])
  expect(lines([400], 3).map(([x]) => x)).toEqual([400, 403])
  expect(lines([100, 102, 104, 900], 2)).toEqual([
    [104, 0.5],
    [106, 0.5],
    [900, 0.5],
    [902, 0.5],
  ])
})
