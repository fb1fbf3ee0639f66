import { expect, test } from 'vitest'

import type { LaneLayout, TrackPlace } from '../blocks/lane_layout'
import { Viewport } from '../time/viewport'
import { markWords, paintOverlay, rowsApart } from './paint_overlay'
import { makePalette } from './palette'

test('names of marks that would lie on each other are written one below the other', () => {
  const box = (left: number, width: number) => ({ left, width })
  expect(rowsApart([box(0, 50), box(50, 50), box(40, 20), box(10, 100), box(200, 10)])).toEqual([0, 0, 1, 2, 0])
  expect(rowsApart([])).toEqual([])
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
    area: { t0: 20, t1: 60, tracks: [5] },
  })
  expect(over).toEqual([1]) // its frame
})
