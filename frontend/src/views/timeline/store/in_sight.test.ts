import { expect, test } from 'vitest'

import { PLAIN, TRACKS, eventRef } from '../../../../test/timeline'
import type { Row } from '../../../../test/window_reply'
import { reply } from '../../../../test/window_reply'
import { decodeBlocks } from '../../../draw/blocks/blocks'
import { Viewport } from '../../../draw/time/viewport'
import type { TrackEvent, TrackRow } from '../../../wire/wire'
import { eventColumns } from '../panels/event_columns'
import { firstInSight, paintsInSight, slicesInSight } from './in_sight'
import { Picture } from './picture'
import type { TimelineStore } from './store'

/** Track 4: two lanes, of which the second is Python's; track 7 is a device's. */
function storeOf(
  python: ReadonlySet<number>,
  device: readonly Row[] = [{ start: 30, end: 60, row: 4 }],
): TimelineStore {
  const [first, ...rest] = TRACKS.tracks.map((track) => ({ ...track, device: track.id === 7 ? 0 : null }))
  const parts = ['operator', 'python'].map((kind) => ({ kind, lanes: 1 }))
  const picture = new Picture({ ...TRACKS, tracks: first === undefined ? rest : [{ ...first, parts }, ...rest] })
  picture.arrange({ ...PLAIN, python })
  picture.resized(500, undefined)
  const lanes = [
    [
      { start: 0, end: 10, row: 1 },
      { start: 20, end: 90, row: 2 },
    ],
    [{ start: 0, end: 900, row: 3 }],
    device,
  ]
  const blocks = decodeBlocks(reply(lanes))
  const view = new Viewport(1000, 2000)
  view.place(1000, 2000)
  const firstMerged = (...asked: readonly number[]) =>
    Promise.resolve(asked.join() === '7,0,1100,1140' ? 99 : undefined)
  const loader = { names: new Map<number, string>(), blocksFor: () => blocks, firstMerged }
  return { picture, loader, counted: loader, window: { view }, tracks: TRACKS } as unknown as TimelineStore
}

test('the table begins with devices and the longest of a track, without what is folded', () => {
  const rows = (python: ReadonlySet<number>) => slicesInSight(storeOf(python)).map(({ row }) => row)
  expect(rows(new Set())).toEqual([4, 2, 1])
  expect(rows(new Set([4]))).toEqual([4, 3, 2, 1])
})

test('keys begin with what begins first in sight, not with what is long or has begun before', async () => {
  const first = async (...device: readonly Row[]): Promise<number | undefined> => {
    const store = storeOf(new Set(), device)
    store.window.view.place(1100, 2000)
    return firstInSight(store)
  }
  const before = { start: 0, end: 100, row: 5 }
  expect(await first(before, { start: 120, end: 130, row: 6 }, { start: 200, end: 900, row: 7 })).toBe(6)
  expect(await first(before)).toBe(5)
  expect(await first()).toBeUndefined()
})

test('named ranges, each in a lane with few others, come where there is nothing else', async () => {
  const store = storeOf(new Set(), [])
  const named = (kinds: readonly string[]) =>
    ({ parts: kinds.map((kind) => ({ kind, lanes: 1 })) }) as unknown as TrackRow
  store.picture.track = () => named(['annotation', 'python'])
  expect(await firstInSight(store)).toBe(1)
  const open = storeOf(new Set([4]), [])
  open.picture.track = () => named(['annotation', 'python'])
  expect(await firstInSight(open)).toBe(3)
  open.picture.track = () => named(['operator', 'python'])
  expect(await firstInSight(open)).toBe(1)
})

test('of several that are merged the first is looked for, and where nobody answers it is the longest', async () => {
  const merged = { start: 80, end: 140, row: 8, count: 3 }
  const store = storeOf(new Set(), [merged, { start: 150, end: 160, row: 9 }])
  store.window.view.place(1100, 2000)
  expect(await firstInSight(store)).toBe(99)
  store.window.view.place(1000, 2000)
  expect(await firstInSight(store)).toBe(8)
})

test('starts of events in a row differ', () => {
  const store = storeOf(new Set())
  const own = { id: 'x', title: '', kind: 'text', value: () => '', definition: '' } as const
  const start = eventColumns<{ readonly unit_ns?: number } & TrackEvent>(store, own).find(({ id }) => id === 'start_ns')
  const at = (start_ns: number, unit_ns?: number) =>
    start?.draw?.({ ...eventRef(1), start_ns, ...(unit_ns !== undefined && { unit_ns }) }, 9, undefined as never)
  const { start_ns: begin } = store.tracks
  expect(at(begin + 131_000_400)).toBe('131,000,400 ns')
  expect(at(begin + 131_000_384, 64)).toBe('131,000.4 µs') // of a picture as many digits as it has
})

test('a legend has the colours that are seen, of what a search found where there is one', () => {
  const { picture, window, loader } = storeOf(new Set())
  loader.blocksFor(4, window.view)?.paint.set([0, 1, 2, 1])
  const tracks = { paints: ['operator', 'kernel', 'python', 'copy'] }
  const sight = { picture, window, loader, tracks, lit: undefined }
  expect([...paintsInSight(sight)]).toEqual(['operator', 'kernel', 'python']) // a folded row is drawn thin
  expect([...paintsInSight({ ...sight, lit: { blocksFor: () => undefined } })]).toEqual([])
})
