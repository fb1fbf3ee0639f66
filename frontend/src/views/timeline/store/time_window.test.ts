import { effect } from '@preact/signals'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'

import { at, go } from '../../../state/place'
import { TimeWindow } from './time_window'

let moves = 0
let window: TimeWindow

beforeEach(() => {
  vi.useFakeTimers()
  go({ 'timeline.t0_ns': undefined, 'timeline.t1_ns': undefined })
  moves = 0
  window = new TimeWindow(0, 1_000_000, () => moves++)
  window.view.width = 1000
})

afterEach(() => {
  window.stop()
  vi.useRealTimers()
})

test('it begins with everything, also where there is nothing', () => {
  expect([window.view.t0, window.view.t1]).toEqual([0, 1_000_000])
  const empty = new TimeWindow(7, 7, () => undefined)
  expect(empty.view.end).toBe(8)
})

test('a move is drawn at once, and stands in the link when it is over', () => {
  const settled = window.followSettled()
  window.show(100_000, 200_000)
  window.pan(10)
  expect(moves).toBe(2)
  expect(at('timeline.t0_ns')).toBeUndefined()
  expect(window.followSettled()).toBe(settled)
  vi.advanceTimersByTime(500)
  expect([at('timeline.t0_ns'), at('timeline.t1_ns')]).toEqual(['101000', '201000'])
  expect(window.followSettled()).toBe(settled + 1)
})

test('the link is followed, but what was written here is no news', () => {
  let words = 0
  const stop = effect(() => void (words = window.followSettled()))
  const before = words
  window.follow([100_000, 300_000])
  expect([window.view.t0, window.view.t1]).toEqual([100_000, 300_000])
  expect(words).toBe(before + 1) // what says the window's length says it again
  stop()
  window.show(400_000, 500_000)
  vi.advanceTimersByTime(500)
  window.zoom(0.5)
  const { t0, t1 } = window.view
  window.follow([400_000, 500_000]) // comes back from the link while the next move is under way
  expect([window.view.t0, window.view.t1]).toEqual([t0, t1])
  window.follow(undefined)
  expect([window.view.t0, window.view.t1]).toEqual([0, 1_000_000])
})

test('a link beyond what was recorded says soon what is seen', () => {
  go({ 'timeline.t0_ns': '900000', 'timeline.t1_ns': '3000000' })
  window.follow([900_000, 3_000_000])
  expect([window.view.t0, window.view.t1]).toEqual([900_000, 1_000_000])
  vi.advanceTimersByTime(500)
  expect([at('timeline.t0_ns'), at('timeline.t1_ns')]).toEqual(['900000', '1000000'])
  window.follow([100_000, 200_000])
  go({ 'timeline.t1_ns': undefined })
  vi.advanceTimersByTime(500)
  go({ 'beside.lower': 'begin' })
  window.follow([900_000, 3_000_000]) // where a second one may have something
  expect([window.view.t0, window.view.t1]).toEqual([900_000, 3_000_000])
  go({ 'beside.lower': undefined })
  expect(at('timeline.t1_ns')).toBeUndefined() // what was followed to the letter is not written
})

test('two windows bound to each other keep their distance, and only the first stands in the link', () => {
  const other = new TimeWindow(0, 500_000, () => undefined)
  other.view.width = 1000
  const end = window.bind(other, 1000)
  window.show(100_000, 200_000)
  expect([other.view.t0, other.view.t1]).toEqual([101_000, 201_000])
  other.pan(10)
  expect([window.view.t0, window.view.t1]).toEqual([101_000, 201_000])
  window.show(600_000, 700_000) // where the other has nothing
  expect([other.view.t0, other.view.t1]).toEqual([601_000, 701_000])
  vi.advanceTimersByTime(500)
  expect([at('timeline.t0_ns'), at('timeline.t1_ns')]).toEqual(['600000', '700000'])
  end()
  window.show(100_000, 200_000)
  expect(other.view.t0).toBe(601_000)
  other.stop()
})

/** Where the back button leads. */
async function back(): Promise<readonly (string | undefined)[]> {
  vi.useRealTimers()
  const there = new Promise((done) => globalThis.addEventListener('popstate', done, { once: true }))
  history.back()
  await there
  vi.useFakeTimers()
  return [at('timeline.t0_ns'), at('timeline.t1_ns')]
}

test('who has jumped comes back: from a fresh link, after a pan, and where the timeline beside was touched', async () => {
  window.jump(100_000, 200_000)
  expect(at('timeline.t0_ns')).toBe('100000')
  window.jump(300_000, 400_000)
  window.pan(10)
  window.fit(500_000, 600_000) // while the pan is not in the link yet
  expect(await back()).toEqual(['301000', '401000'])
  expect(await back()).toEqual(['100000', '200000'])
  expect(await back()).toEqual([undefined, undefined])
  window.follow(undefined)
  window.showAll() // as it is: no step
  vi.advanceTimersByTime(500)
  const other = new TimeWindow(0, 1_000_000, () => undefined)
  const end = window.bind(other, 1000)
  other.jump(101_000, 201_000)
  expect(at('timeline.t0_ns')).toBe('100000')
  expect((await back())[0]).not.toBe('100000')
  end()
  other.stop()
})
