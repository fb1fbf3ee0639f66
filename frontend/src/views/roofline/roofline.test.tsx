import { render } from 'preact'
import { act } from 'preact/test-utils'
import { afterEach, beforeEach, expect, test } from 'vitest'

import { rowOf } from '../../../test/rows'
import { at, go } from '../../state/place'
import type { Roofline, RooflineRow } from '../../wire/wire'
import { Chart } from './chart'
import { keyOf, nameOf } from './key'
import { GAP, MARGIN, STRIP, plotOf } from './plot'
import { ROOFLINE_ROW } from './row_figures'

const PRODUCT = rowOf<RooflineRow>(ROOFLINE_ROW, {
  name: 'aten::mm',
  shapes: '[[8,8],[8,8]]',
  category: 'matmul',
  is_call: true,
  example: 1,
  count: 1,
  total_ns: 2000,
  wall_ns: 1000,
  share: 0.8,
  lost_ns: 400,
  flops: 6e5,
  bytes: 1000,
  flops_per_s: 6e14,
  bytes_per_s: 1e12,
  flops_per_byte: 600,
  is_most: false,
  twin_ns: 0,
})
const COPY: RooflineRow = {
  ...PRODUCT,
  name: 'Memcpy',
  is_call: false,
  shapes: null,
  total_ns: 250,
  wall_ns: 250,
  flops: 0,
}
const COPIED: RooflineRow = { ...COPY, flops_per_s: 0, flops_per_byte: 0, bytes_per_s: 2e12 }
const FUSED: RooflineRow = { ...PRODUCT, name: 'triton_poi', is_most: true, flops_per_byte: 1, flops_per_s: 1e12 }

const ROOFLINE: Roofline = {
  rows: [PRODUCT, COPIED, FUSED],
  count: 3,
  total_ns: 2250,
  known_ns: 2250,
  twin_ns: 0,
  paged_ns: 0,
  coverage: 1,
  lost_ns: 400,
  roofs: [{ rate_type: 'bf16', flops_per_s: 1e15, best_flops_per_s: 6e14 }],
  bytes_per_s: 4e12,
  peak: 'H100 SXM (data sheet)',
  is_guess: false,
  has_shapes: true,
  covers: 'recording',
}
const BOX = { width: 1000, height: 340 }

beforeEach(() => go({ 'roofline.row': undefined, inside: undefined }))
afterEach(() => render(null, document.body))

test('in a narrow window fewer powers of ten are written, so that none lies on another', () => {
  const apart = (width: number): number => {
    const places = plotOf(ROOFLINE, { ...BOX, width }).xTicks.map((tick) => tick.at)
    return Math.min(...places.slice(1).map((at, before) => at - (places[before] ?? 0)))
  }
  for (const width of [290, 400, 1000]) expect(apart(width)).toBeGreaterThanOrEqual(36)
})

test('a point at the peak lies on its roof, areas are times of the wall, and copies stand on the strip', () => {
  const atPeak: RooflineRow = { ...PRODUCT, flops_per_s: 1e15 }
  const plot = plotOf({ ...ROOFLINE, rows: [atPeak, COPIED] }, BOX)
  const [product, copied] = plot.dots
  expect(product?.y).toBeCloseTo(plot.roofs[0]?.y ?? 0)
  expect(((product?.radius ?? 0) / (copied?.radius ?? 1)) ** 2).toBeCloseTo(4)
  expect(copied?.x).toBe(MARGIN.left + (STRIP - GAP) / 2)
  expect(product?.x ?? 0).toBeGreaterThan(MARGIN.left + STRIP)
})

test('the slope of bandwidth meets the highest roof where both bound', () => {
  const { slope, roofs } = plotOf(ROOFLINE, BOX)
  expect(slope?.[2]).toBeCloseTo(roofs.find((roof) => !roof.isBest)?.x ?? 0)
  expect(slope?.[3]).toBeCloseTo(roofs.find((roof) => !roof.isBest)?.y ?? 0)
})

test('without peaks the points set the scale, and nothing is drawn outside', () => {
  const plot = plotOf({ ...ROOFLINE, roofs: [], bytes_per_s: null, peak: null }, BOX)
  expect(plot.slope).toBeUndefined()
  expect(plot.roofs).toEqual([])
  for (const { x, y } of plot.dots) {
    expect(x >= MARGIN.left && x <= BOX.width).toBe(true)
    expect(y >= MARGIN.top && y <= BOX.height).toBe(true)
  }
  expect(plotOf({ ...ROOFLINE, rows: [] }, BOX).dots).toEqual([])
})

test('what is only a bound is hollow; a click opens the row, with Shift it filters', () => {
  void act(() => render(<Chart roofline={ROOFLINE} />, document.body))
  const dots = [...document.querySelectorAll<SVGCircleElement>('.dot')]
  expect(dots.map((dot) => dot.style.fill === 'transparent')).toEqual([false, true, false])
  void act(() => {
    dots[0]?.dispatchEvent(new MouseEvent('click', { bubbles: true }))
  })
  expect(at('roofline.row')).toBe(keyOf(PRODUCT))
  void act(() => {
    dots[0]?.dispatchEvent(new MouseEvent('click', { bubbles: true, shiftKey: true }))
  })
  expect(at('inside')).toBe('^aten::mm$')
})

test('a name has its sizes, and says where there are more', () => {
  expect(nameOf({ ...PRODUCT, shapes: '[[8944, 1024], [], [1024, 2816]]' })).toBe('aten::mm 8944×1024 · 1024×2816')
  expect(nameOf({ ...PRODUCT, shapes: '[[1], [2], [3], [4], [5]]' })).toBe('aten::mm 1 · 2 · 3 · 4 …')
  expect(nameOf(COPIED)).toBe('Memcpy')
})
