import { expect, test } from 'vitest'

import { PLAIN, TRACKS, eventRef, timelineEvent } from '../../../../test/timeline'
import type { TimelineEvent, TrackEvent } from '../../../wire/wire'
import { Viewport } from '../../../draw/time/viewport'
import { outOfSight } from './out_of_sight'
import { Picture } from './picture'

const LAUNCH: TrackEvent = { ...eventRef(100, 5), name: 'cudaLaunchKernel', kind: 'runtime' } // at 100 µs, on the second thread
const KERNEL = timelineEvent(200, { track: 7, name: 'gemm', kind: 'kernel', launch: LAUNCH })

/** What the edges name where [t0, t1] µs are seen, and so much of the tracks. */
function named(
  t0: number,
  t1: number,
  height = 400,
  given: Partial<typeof PLAIN> = {},
  event: TimelineEvent = KERNEL,
  others: readonly TrackEvent[] = [],
  from = LAUNCH,
) {
  const picture = new Picture(TRACKS)
  picture.arrange({ ...PLAIN, ...given })
  picture.resized(height, undefined)
  const view = new Viewport(0, 1_000_000)
  view.width = 1000
  view.place(t0 * 1000, t1 * 1000)
  const near = (others.length > 0 ? others : [event]).map((to) => ({ from, to }))
  const selection = { event: { peek: () => event }, near }
  return outOfSight({ selection, picture, window: { view } })
}

test('both ends in sight, or none: no name', () => {
  expect(named(50, 300)).toEqual([])
  expect(named(400, 500)).toEqual([])
})

test('a launch before the window is named at its left edge, with how long before', () => {
  const [launch, ...others] = named(150, 300)
  expect(others).toEqual([])
  expect([launch?.words, launch?.x]).toEqual(['← launch cudaLaunchKernel, 100 µs before', 0])
  const lane = new Picture(TRACKS).places.get(5)
  expect([launch?.y, launch?.short]).toEqual([(lane?.parts[0]?.top ?? 0) + 9, '← 100 µs'])
})

const DEVICE_ROW = 116 + 12 // below two tracks of the host and their own row
const BELOW = 256 + 12 // all tracks

test('a name lies in a row near its lane in which no event is drawn, and has room there', () => {
  const name = 'a_launch_with_a_name_of_more_than_28_characters'
  const [found] = named(150, 300, 400, {}, KERNEL, [], { ...LAUNCH, name, lane: 1 })
  expect([found?.words, found?.short, found?.y]).toEqual([`← launch ${name}, 100 µs before`, undefined, DEVICE_ROW])
  const last = { ...LAUNCH, track: 9, lane: 1 }
  expect([270, 400].map((height) => named(150, 300, height, {}, KERNEL, [], last)[0]?.y)).toEqual([240, BELOW])
})

test('where there is none it is short, and lies above or below the selected event, never on it', () => {
  const launch = { ...LAUNCH, lane: 1 } // from 21 to 39 px, the first lane from 3 px
  const over = (start_us: number, height: number) => {
    const event = timelineEvent(start_us, { track: 5, duration_ns: 50_000, launch })
    return named(150, 300, height, { pinned: [5] }, event, [], launch).map(({ short, y }) => [short, y])
  }
  expect(over(200, 60)).toEqual([['← 100 µs', 30]]) // not over it
  expect(over(151, 60)).toEqual([['← 51.0 µs', 33]])
  expect(over(151, 40)).toEqual([]) // the details name it too
})

test('of a launch in sight the selected kernel is named, where it is not', () => {
  expect(named(50, 150).map(({ words, x }) => [words, x])).toEqual([['→ selected gemm, 100 µs later', 1000]])
})

test('left of its launch, which goes on, a kernel is not said to be later than what is seen', () => {
  const launch = timelineEvent(100, { ...LAUNCH, duration_ns: 500_000, launched: [] })
  const { start_ns, duration_ns } = launch
  const long = { ...LAUNCH, start_ns, duration_ns }
  const all = named(400, 700, 400, {}, launch, [KERNEL], long)
  expect(all.map(({ words }) => words)).toEqual(['← kernel gemm, 100 µs after its launch began'])
})

test('what lies above or below is named at that edge, with how many tracks away', () => {
  expect(named(50, 300, 100).map(({ words, y }) => [words, y])).toEqual([['↓ selected gemm, 100 µs later, 1 track down', 88]]) // prettier-ignore
  const pinned = named(50, 300, 90, { pinned: [7] }) // the launch is scrolled beneath the window
  expect(pinned.map(({ words }) => words)).toEqual(['↓ launch cudaLaunchKernel, 100 µs before, 2 tracks down'])
})

test('what is folded away is named where its group is', () => {
  const found = named(50, 300, 400, { folded: new Set(['g0']) })
  expect(found.map(({ words }) => words)).toEqual(['launch cudaLaunchKernel, 100 µs before, folded or hidden'])
  expect(found[0]?.y).toBe(12)
})

test('of several kernels to the right of their launch one is named', () => {
  const launch = timelineEvent(100, { ...LAUNCH, launched: [] })
  const all = named(50, 150, 400, {}, launch, [KERNEL, { ...KERNEL, row: 201, name: 'relu' }])
  expect(all.map(({ words }) => words)).toEqual(['→ kernel gemm, 100 µs later'])
})
