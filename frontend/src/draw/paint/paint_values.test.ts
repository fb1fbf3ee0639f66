import { expect, test } from 'vitest'

import { Viewport } from '../time/viewport'
import { VALUE_PX, columnOf, paintValues, valueWords } from './paint_values'
import type { ValueRow } from './paint_values'
import { makePalette } from './palette'

const ROW = {
  unit: 'bytes',
  device: 0,
  lowest: 1024,
  highest: 4096,
  least: [1024, 2048, null],
  most: [1024, 4096, null],
  mean: [1024, 3072, null],
  kept: null,
} as const

test('a part has one value, or from the least to the most of it', () => {
  expect(valueWords(ROW, 0)).toBe('1.00 KiB')
  expect(valueWords(ROW, 1)).toBe('2.00 KiB to 4.00 KiB')
  expect(valueWords({ ...ROW, least: [2_244_000], most: [2_244_608] }, 0)).toBe('2.14 MiB') // as it is shown
  expect([valueWords(ROW, 2), valueWords(ROW, 9)]).toEqual(['not recorded', 'not recorded'])
  expect(valueWords({ ...ROW, unit: 'number', least: [0.123456789], most: [9_119_334_400] }, 0)).toBe('0.123 to 9.12 G')
})

test('a column is as full as its time, however parts fall on it', () => {
  const row = { ...ROW, least: [0, 0, 2, 0], most: [2, 0, 2, 2], mean: [0.5, 0, 2, 1] } as const
  expect(columnOf(row, 0, 1)).toEqual({ low: 0, high: 2, share: 0.25 })
  expect(columnOf(row, 0, 4)).toEqual({ low: 0, high: 2, share: 3.5 / 8 })
  expect(columnOf(row, 2.25, 2.75)).toEqual({ low: 2, high: 2, share: 0 })
  expect(columnOf(row, 2.5, 3.5)).toEqual({ low: 0, high: 2, share: 0.75 })
  for (const nothing of [columnOf(row, -3, -2), columnOf(row, 5, 6)])
    expect(nothing).toEqual({ low: 0, high: 0, share: 0 })
  expect(columnOf(ROW, 2, 3)).toEqual({ low: 0, high: 0, share: -1 })
})

test('what repeats has no beat: eight neighbouring columns are as full as any eight', () => {
  const n = 4000
  const period = 3.19 // parts; high for a third of it
  const until = (t: number): number =>
    (Math.floor(t / period) + Math.min((3 * (t % period)) / period, 1)) * (period / 3)
  const mean = Array.from({ length: n }, (_, i) => until(i + 1) - until(i))
  const row = { ...ROW, least: mean.map((m) => Math.floor(m + 1e-9)), most: mean.map((m) => Math.ceil(m - 1e-9)), mean }
  for (const px of [0.5, 1, 1.37, 1.99]) {
    const full = Array.from({ length: 1500 }, (_, x) => {
      const column = columnOf(row, x * px, (x + 1) * px)
      return column.low + (column.high - column.low) * column.share
    })
    const sums = full.slice(0, -40).map((_, x) => full.slice(x, x + 40).reduce((a, b) => a + b) / 40)
    expect(Math.max(...sums) - Math.min(...sums)).toBeLessThan(0.06)
  }
})

interface Painted {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
  readonly alpha: number
  readonly fill?: string
  readonly words?: string
}

const PALETTE = makePalette([], () => '#336699')

const PEAK = 0.35 // of the end of what hardly lasts

function painted(row: ValueRow, ratio = 1, isLit = false): readonly Painted[] {
  const drawn: Painted[] = []
  const context = {
    globalAlpha: 1,
    fillStyle: '',
    fillRect(x: number, y: number, width: number, height: number) {
      drawn.push({ x, y, width, height, alpha: this.globalAlpha, fill: this.fillStyle })
    },
    fillText: (words: string, x: number, y: number) => drawn.push({ x, y, width: 0, height: 0, alpha: 1, words }),
  }
  const view = new Viewport(0, 1000)
  view.place(0, 1000)
  view.width = 100
  const scene = {
    view,
    palette: PALETTE,
    t0: 0,
    t1: 1000,
    screenRatio: ratio,
    rows: [row],
    isLit,
    pointer: undefined,
    away: '',
  }
  paintValues(context as unknown as CanvasRenderingContext2D, scene)
  return drawn
}

test('where filters leave something out all is grey, and what they keep of a share is strong over it', () => {
  const row = { ...ROW, unit: 'share', lowest: 0, highest: 1, least: [1, 0.5], most: [1, 0.5], mean: [1, 0.5] } as const
  const { left, device } = PALETTE
  const bars = (drawn: readonly Painted[]) =>
    drawn.flatMap(({ x, width, height, fill }) => (width === 50 && height > 1 ? [[fill, x, height]] : []))
  expect(bars(painted({ ...row, kept: [0.25, 0] }, 1, true))).toEqual([
    [left, 0, 28],
    [left, 50, 14],
    [device, 0, 7],
  ])
  expect(bars(painted(row, 1, true)).map(([fill]) => fill)).toEqual([left, left])
  expect(bars(painted(row)).map(([fill]) => fill)).toEqual([device, device])
})

test('columns alike are one rectangle', () => {
  const drawn = painted({ ...ROW, least: [1024, 2048], most: [1024, 2048], mean: [1024, 2048] })
  const tall = drawn.filter(({ width }) => width === 50)
  expect(tall.map(({ x }) => x)).toEqual([0, 50])
  expect(drawn.length).toBeLessThan(5)
})

test('what is not recorded is no 0: it has a ground of its own and says so, not yet where its values are still on the way', () => {
  const isGround = ({ y, height }: Painted): boolean => y === 0 && height === VALUE_PX - 1
  const drawn = painted({ ...ROW, least: [null, 0], most: [null, 0], mean: [null, 0] })
  expect(drawn.filter(isGround)).toMatchObject([{ x: 0, width: 50, alpha: 1 }])
  const wide = painted({ ...ROW, least: [null], most: [null], mean: [null] })
  expect(wide.map(({ words }) => words)).toContain('not recorded')
  expect(painted({ ...ROW, least: [0], most: [0], mean: [0] }).filter(isGround)).toEqual([])
  expect(painted({ ...ROW, least: [], most: [], mean: [] }).filter(isGround)).toEqual([])
})

test('a column ends where a pixel of the screen does', () => {
  const values = Array.from({ length: 100 }, (_, i) => i + 1)
  const drawn = painted({ ...ROW, least: values, most: values, mean: values }, 1.25).slice(0, -1) // without the line below
  expect(drawn).toHaveLength(100)
  const edges = drawn.flatMap(({ x, width }) => [x * 1.25, (x + width) * 1.25])
  for (const edge of edges) expect(edge).toBeCloseTo(Math.round(edge), 9)
})

test('what hardly lasts is as pale as it is seldom, but for its end', () => {
  const [rare, peak] = painted({ ...ROW, lowest: 0, highest: 10, least: [0], most: [10], mean: [0.1] })
  expect(rare?.alpha).toBeCloseTo(0.76 * 0.01, 9)
  expect(rare?.height).toBeCloseTo(VALUE_PX - 6, 9)
  expect(peak?.y).toBe(rare?.y)
  expect(peak?.height).toBeCloseTo(1, 9)
  expect(peak?.alpha).toBeGreaterThan(0.2)
})

test.each([
  ['of both signs', [-10, 5, -10], [-5, 10, 10], [-7, 8, 0]],
  ['below zero', [-10, -5, -10], [-10, -2, -4], [-10, -3, -9]],
  ['above zero', [1, 5, 0], [3, 10, 2], [2, 7, 1]],
])('values %s stay within their row, and its ink is their mean', (_, least, most, mean) => {
  const lowest = Math.min(...least)
  const highest = Math.max(...most)
  const row = { ...ROW, lowest, highest, least, most, mean }
  const perPx = (Math.max(highest, 0) - Math.min(lowest, 0)) / (VALUE_PX - 6)
  const zero = VALUE_PX - 1 + Math.min(lowest, 0) / perPx
  const drawn = painted(row).filter(({ width }) => width < 100)
  for (const { y, height } of drawn) {
    expect(y).toBeGreaterThanOrEqual(0)
    expect(y + height).toBeLessThanOrEqual(VALUE_PX - 1 + 1e-9)
  }
  const inkAt = (x: number): number =>
    drawn
      .filter((rect) => rect.x <= x && x < rect.x + rect.width && rect.alpha !== PEAK)
      .reduce((sum, { y, height, alpha }) => sum + (y < zero - 1e-9 ? 1 : -1) * height * perPx * (alpha / 0.76), 0)
  mean.forEach((expected, part) => {
    const [low, high] = [least[part] ?? 0, most[part] ?? 0]
    // Of a part with both signs only the way between them is known.
    const isMixed = low < 0 && high > 0
    const share = (expected - low) / (high - low)
    expect(inkAt(part * 34 + 10)).toBeCloseTo(isMixed ? high * share + low * (1 - share) : expected, 6)
  })
})

test.each([
  [50, 'not recorded'],
  [150, 'on its way'],
])('of a time that has not come nobody says that it is not recorded', (pointer, words) => {
  const said: string[] = []
  const context = {
    fillRect: () => undefined,
    measureText: () => ({ width: 9 }),
    fillText: (text: string) => said.push(text),
  }
  const view = new Viewport(0, 1000)
  view.place(0, 1000)
  view.width = 100
  const row = { ...ROW, least: [null], most: [null], mean: [null] }
  const scene = {
    view,
    palette: makePalette([], () => '#336699'),
    t0: 0,
    t1: 100,
    screenRatio: 1,
    rows: [row],
    isLit: false,
    pointer,
    away: 'on its way',
  }
  paintValues(context as unknown as CanvasRenderingContext2D, scene)
  expect(said).toEqual([words])
})
