import { expect, test } from 'vitest'

import { themes } from '../../../test/contrast'
import { Viewport } from '../time/viewport'
import { makePalette } from './palette'
import { paintHeader, stepNaming, stepWords, stripPx, stripRowPx } from './paint_header'
import type { HeaderScene } from './paint_header'

const WHOLE = { isShort: false, every: 1 }
const SHORT = { isShort: true, every: 1 }

/** The names in a row of 20 steps, of which each is so wide. */
function row(px: number, first = 1): readonly string[] {
  const steps = Array.from({ length: 20 }, (_, i) => ({
    ...{ name: `ProfilerStep#${first + i}`, number: first + i, complete: i < 19 },
    ...{ start_ns: i * px, end_ns: (i + 1) * px - (i === 19 ? px * 0.7 : 0) },
  }))
  const naming = stepNaming(steps, { t0: 0, t1: 20 * px, nsPerPx: 1 })
  return steps.map((step) => stepWords(step, Math.floor((step.end_ns - step.start_ns - 8) / 6.2), naming))
}

test('the strip grows with its rows until a host and eight devices have a line of text each', () => {
  expect([0, 1, 2, 3, 9, 10, 65].map(stripPx)).toEqual([40, 40, 40, 41, 107, 107, 107])
  expect(stripRowPx(9)).toBe(11)
  expect(stripRowPx(66)).toBe(1.5)
})

test('the number of a step is whole or not there: no two steps read the same', () => {
  const step = { name: 'ProfilerStep#170', number: 170, complete: true }
  expect([16, 4, 3].map((n) => stepWords(step, n, SHORT))).toEqual(['#170', '#170', ''])
  expect([16, 15, 3].map((n) => stepWords(step, n, WHOLE))).toEqual(['ProfilerStep#170', '#170', '']) // a short first one
  expect(stepWords({ name: 'ProfilerStep#7', number: 7, complete: false }, 20, WHOLE)).toBe('ProfilerStep#7 (cut)')
})

test('all steps of a row are named in one way, the last one cut short or not', () => {
  expect(row(160).slice(7, 9)).toEqual(['ProfilerStep#8', 'ProfilerStep#9'])
  expect(row(28).slice(7, 11)).toEqual(['#8', '#9', '#10', '#11'])
})

test('where they are too narrow for that, each nth has its number', () => {
  expect(row(19).flatMap((words) => words || [])).toEqual([
    '#2',
    '#4',
    '#6',
    '#8',
    '#10',
    '#12',
    '#14',
    '#16',
    '#18',
    '#20',
  ])
  expect(row(3, 101).flatMap((words) => words || [])).toEqual(['#120'])
})

const PALETTE = makePalette([], (name) => themes().light[name] ?? '')

/** What of the strip is drawn in each of the colours, all of a row as one shape. */
function strip(rows: Pick<HeaderScene, 'density' | 'kept'>, ...colors: readonly string[]): readonly unknown[] {
  const drawn: { readonly fill: unknown; readonly boxes: readonly (readonly number[])[] }[] = []
  let boxes: number[][] = []
  const known: Record<string, unknown> = {
    beginPath: () => (boxes = []),
    rect: (...box: number[]) => boxes.push(box),
    fill: () => drawn.push({ fill: known['fillStyle'], boxes }),
  }
  const context = new Proxy(known, { get: (_, name) => known[name as string] ?? ((): undefined => undefined) })
  const view = new Viewport(0, 1000)
  view.width = 400
  const scene = { view, palette: PALETTE, steps: [], hits: [], pointer: undefined, range: undefined, ...rows }
  paintHeader(context as unknown as CanvasRenderingContext2D, scene)
  return colors.map((color) => drawn.filter(({ fill }) => fill === color).flatMap((row) => row.boxes))
}

test('events that last 0 ns are dots in the strip where nothing is at work, and bars have none', () => {
  const density = [{ device: 0, busy: [0, 0, 0.5, 0], points: [3, 0, 2, 1] }]
  expect(strip({ density, kept: undefined }, PALETTE.device)).toEqual([
    [
      [48.5, 19.5, 3, 3],
      [200, 21, 100, 15],
      [348.5, 19.5, 3, 3],
    ],
  ])
})

test('of the strip what filters and a search leave out is grey, what they keep is in its colour over it', () => {
  const density = [{ device: 0, busy: [1, 0.5], points: [] }]
  const kept = [{ device: 0, busy: [0.5, 0], points: [] }]
  expect(strip({ density, kept }, PALETTE.left, PALETTE.device)).toEqual([
    [
      [0, 6, 200, 30],
      [200, 21, 200, 15],
    ],
    [[0, 21, 200, 15]],
  ])
})
