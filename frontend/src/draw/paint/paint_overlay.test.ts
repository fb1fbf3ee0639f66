import { expect, test } from 'vitest'

import type { LaneLayout, TrackPlace } from '../blocks/lane_layout'
import { Viewport } from '../time/viewport'
import { markTops, markWords, paintOverlay, rowsApart } from './paint_overlay'
import { makePalette } from './palette'

test('names of marks that would lie on each other are written one below the other', () => {
  const box = (left: number, width: number) => ({ left, width })
  expect(rowsApart([box(0, 50), box(50, 50), box(40, 20), box(10, 100), box(200, 10)])).toEqual([0, 0, 1, 2, 0])
  expect(rowsApart([])).toEqual([])
})

test('names of marks lie in rows of groups, which have no events, then below the first of these', () => {
  const group = (top: number) => ({ index: 0, top, height: 24, isFolded: false, notePx: 0 })
  const layout: LaneLayout = { height: 900, pinnedPx: 0, groups: [0, 100, 500].map(group), tracks: [] }
  expect(markTops({ layout, scrollTop: 0, height: 300 }, 1)).toEqual([4, 104])
  expect(markTops({ layout, scrollTop: 0, height: 300 }, 4)).toEqual([4, 104, 21, 38])
  expect(markTops({ layout, scrollTop: 50, height: 300 }, 2)).toEqual([54, 71]) // the first is out of sight
  expect(markTops({ layout: { ...layout, groups: [] }, scrollTop: 0, height: 300 }, 2)).toEqual([2, 19])
})

test('a mark says its name, its note and its length', () => {
  expect(markWords({ t0: 0, t1: 2000, name: 'slow\nsince the upgrade' })).toBe('slow  since the upgrade  2.00 µs')
  expect(markWords({ t0: 0, t1: 2000, name: '' })).toBe('2.00 µs')
})

test('the tint of an area lies beneath its events: over them it would take the contrast of their names', () => {
  const over: number[] = []
  const context = {
    globalAlpha: 1,
    globalCompositeOperation: 'source-over',
    fillStyle: '',
    strokeRect: () => over.push(1),
    fillRect(_x: number, _y: number, width: number, height: number) {
      if (this.globalCompositeOperation === 'source-over') over.push(Math.min(width, height))
    },
  }
  const view = new Viewport(0, 100)
  view.width = 100
  const track: Partial<TrackPlace> = { id: 5, top: 0, height: 40, lanes: 1, isPinned: false }
  paintOverlay(context as unknown as CanvasRenderingContext2D, {
    layout: { height: 40, pinnedPx: 0, groups: [], tracks: [] } satisfies LaneLayout,
    places: new Map([[5, track as TrackPlace]]),
    view,
    palette: makePalette([], () => '#336699'),
    scrollTop: 0,
    height: 40,
    steps: [],
    hovered: undefined,
    selected: undefined,
    hits: [],
    arrows: [],
    marks: [],
    range: undefined,
    edge: undefined,
    area: { t0: 20, t1: 60, tracks: [5] },
  })
  expect(over).toEqual([1]) // its frame
})

test('before anything is drawn the edge that it would begin at is shown with its time', () => {
  const [lines, words] = [[] as number[][], [] as string[]]
  const context = {
    fillRect: (...box: number[]) => lines.push(box),
    fillText: (text: string) => words.push(text),
    measureText: () => ({ width: 40 }),
  }
  const view = new Viewport(0, 100_000)
  view.place(0, 100_000)
  view.width = 100
  const parts = [{ kind: 'operator', first: 0, lanes: 1, top: 50, lanePx: 18, covered: 0 }]
  const track = { id: 5, top: 50, height: 22, lanes: 1, isPinned: false, parts } as unknown as TrackPlace
  const scene = {
    layout: { height: 80, pinnedPx: 0, groups: [], tracks: [] } satisfies LaneLayout,
    places: new Map([[5, track]]),
    view,
    palette: makePalette([], () => '#336699'),
    scrollTop: 10,
    height: 80,
    steps: [],
    hovered: undefined,
    selected: undefined,
    hits: [],
    arrows: [],
    marks: [],
    range: undefined,
    edge: { t: 40_000, lane: { track: 5, lane: 0 } },
    area: undefined,
  }
  paintOverlay(context as unknown as CanvasRenderingContext2D, scene)
  expect(lines[0]).toEqual([39, 36, 2, 26])
  expect(words).toEqual(['40.0 µs'])
})
