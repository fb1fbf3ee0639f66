import { expect, test } from 'vitest'

import { Viewport } from '../../../draw/time/viewport'
import { go, place } from '../../../state/place'
import type { TimelineStore } from '../store/store'
import { NOT_BESIDE, inAnother, openBeside } from './beside'

test('another file is laid at the step that it is beside, and at its beginning where that is none', () => {
  expect(['5', 'begin', undefined, '@12345'].map((upper) => inAnother(upper))).toEqual(['5', 'begin', 'begin', 'begin'])
})

/** The steps that lie above each other, and the window in the link. */
function opened(numbers: readonly number[], t0: number, t1: number): readonly (string | undefined)[] {
  go({ ...NOT_BESIDE, 'timeline.t0_ns': undefined, 'timeline.t1_ns': undefined })
  const steps = numbers.map((number, i) => ({ number, start_ns: 100 * i + 50, end_ns: 100 * i + 150 }))
  const view = new Viewport(0, 1000)
  view.show(t0, t1)
  openBeside({ tracks: { steps }, window: { view } } as unknown as TimelineStore)
  return ['beside.upper', 'beside.lower', 'timeline.t0_ns', 'timeline.t1_ns'].map((key) => place.value[key])
}

test('it opens on the first two steps, and where one has zoomed in on the step in sight and its neighbour', () => {
  expect(opened([5, 6, 7], 0, 1000)).toEqual(['5', '6', '50', '150'])
  expect(opened([5, 6, 7], 160, 200)).toEqual(['6', '7', undefined, undefined])
  expect(opened([5, 6, 7], 270, 290)).toEqual(['7', '6', undefined, undefined])
  expect(opened([5, 6, 7], 800, 900)).toEqual(['7', '6', undefined, undefined])
  expect(opened([5], 0, 1000)).toEqual(['5', '5', '50', '150'])
  expect(opened([], 0, 1000)).toEqual(['begin', 'begin', undefined, undefined])
})
