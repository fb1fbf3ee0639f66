import { describe, expect, it } from 'vitest'

import { Viewport } from './viewport'

function view(): Viewport {
  const viewport = new Viewport(1000, 1_001_000)
  viewport.width = 500
  viewport.show(1000, 1_001_000)
  return viewport
}

describe('the viewport', () => {
  it('keeps what is under the pointer where it is while zooming', () => {
    const viewport = view()
    viewport.show(200_000, 300_000)
    const before = viewport.time(123)
    viewport.zoom(0.3, 123)
    expect(viewport.time(123)).toBeCloseTo(before, 6)
    viewport.zoom(1 / 0.3, 123)
    expect(viewport.t0).toBeCloseTo(200_000, 3)
  })

  it('maps pixels to time and back', () => {
    const viewport = view()
    viewport.show(5000, 9000)
    expect(viewport.x(viewport.time(77))).toBeCloseTo(77, 9)
  })

  it('never leaves the trace by more than a margin, however hard one pans or zooms', () => {
    const viewport = view()
    viewport.zoom(1e9, 10)
    viewport.pan(1e9)
    expect(viewport.t0).toBeGreaterThan(-100_000)
    expect(viewport.t1).toBeLessThan(1_100_000)
    viewport.zoom(1e-12, 0)
    expect(viewport.t1 - viewport.t0).toBeGreaterThanOrEqual(49.9)
  })

  it.each([1, 1.25, 2])('moves by whole pixels of a screen of %f, and loses nothing of small moves', (dpr) => {
    const viewport = view()
    viewport.dpr = dpr
    viewport.zoom(0.1, 250)
    const [before, px] = [viewport.t0, viewport.nsPerPx / dpr]
    for (let moves = 1; moves <= 100; moves++) {
      viewport.pan(0.38)
      const moved = (viewport.t0 - before) / px
      expect(Math.abs(moved - Math.round(moved))).toBeLessThan(1e-6)
      expect(Math.abs(moved - 0.38 * dpr * moves)).toBeLessThanOrEqual(0.5 + 1e-6)
    }
  })

  it('shows as much of a stretch as was recorded, where it lies', () => {
    const viewport = view()
    const shown = (t0: number, t1: number): readonly number[] => {
      viewport.showRecorded(t0, t1)
      return [viewport.t0, viewport.t1]
    }
    expect(shown(900_000, 3_000_000)).toEqual([900_000, 1_001_000])
    expect(shown(-5_000_000, 200_000)).toEqual([1000, 200_000])
    for (const nothing of [shown(2_000_000, 3_000_000), shown(-9, -5)]) expect(nothing).toEqual([1000, 1_001_000])
    expect(shown(-1e9, 1e9)).toEqual([1000, 1_001_000])
    // Who pans sees a margin, and so does who opens the link.
    for (const pan of [-1e9, 1e9]) {
      viewport.show(400_000, 500_000)
      viewport.pan(pan)
      const { t0, t1 } = viewport
      expect(t0 < 1000 || t1 > 1_001_000).toBe(true)
      expect(shown(Math.round(t0), Math.round(t1))).toEqual([Math.round(t0), Math.round(t1)])
    }
  })

  it('includes a stretch at the zoom there is, and zooms out only where it does not fit', () => {
    const viewport = view()
    viewport.show(500_000, 600_000)
    viewport.include(520_000, 530_000)
    expect([viewport.t0, viewport.t1]).toEqual([500_000, 600_000])
    viewport.include(450_000, 510_000)
    expect(viewport.t1 - viewport.t0).toBeCloseTo(100_000, 6)
    expect(viewport.t0).toBeLessThan(450_000)
    expect(viewport.t1).toBeGreaterThan(510_000)
    viewport.include(540_000, 590_000)
    expect(viewport.t1 - viewport.t0).toBeCloseTo(100_000, 6)
    expect(viewport.t1).toBeGreaterThan(590_000)
    viewport.include(100_000, 400_000)
    expect(viewport.t0).toBeLessThan(100_000)
    expect(viewport.t1).toBeGreaterThan(400_000)
  })

  it('brings an event into sight without changing the zoom when it fits', () => {
    const viewport = view()
    viewport.show(100_000, 200_000)
    viewport.reveal(500_000, 501_000)
    expect(viewport.t1 - viewport.t0).toBeCloseTo(100_000, 6)
    expect(viewport.x(500_500)).toBeCloseTo(250, 3)
    viewport.reveal(700_000, 700_010) // a hundredth of a pixel: zooms in to show it
    expect(viewport.x(700_010) - viewport.x(700_000)).toBeGreaterThan(5)
  })

  it('goes from event to event at one zoom: of what is longer than the screen to its beginning, and back', () => {
    const viewport = view()
    viewport.fit(500_000, 501_000)
    const before = [viewport.t0, viewport.t1]
    viewport.bring(501_500, 543_000)
    expect(viewport.t1 - viewport.t0).toBeCloseTo(1200, 6)
    expect(viewport.x(501_500)).toBeCloseTo(50, 3)
    viewport.bring(501_500, 543_000)
    expect(viewport.x(501_500)).toBeCloseTo(50, 3)
    viewport.bring(500_000, 501_000)
    expect([viewport.t0, viewport.t1]).toEqual(before)
    viewport.bring(700_000, 700_001)
    expect(viewport.t1 - viewport.t0).toBeCloseTo(1200, 6)
  })

  it('shows all of an event that is longer than the screen', () => {
    const viewport = view()
    viewport.fit(500_000, 501_000)
    viewport.reveal(100_000, 900_000)
    expect([viewport.t0, viewport.t1]).toEqual([20_000, 980_000])
    viewport.reveal(200_000, 800_000)
    expect([viewport.t0, viewport.t1]).toEqual([20_000, 980_000])
  })
})
