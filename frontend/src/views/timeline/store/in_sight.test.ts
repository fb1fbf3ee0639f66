import { expect, test } from 'vitest'

import { PLAIN, TRACKS } from '../../../../test/timeline'
import { reply } from '../../../../test/window_reply'
import { decodeBlocks } from '../../../draw/blocks/blocks'
import { Viewport } from '../../../draw/time/viewport'
import { eventColumns } from '../panels/event_columns'
import { slicesInSight } from './in_sight'
import { Picture } from './picture'
import type { TimelineStore } from './store'

/** Track 4: two lanes, of which the second is Python's; track 7 is a device's. */
function storeOf(python: ReadonlySet<number>): TimelineStore {
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
    [{ start: 30, end: 60, row: 4 }],
  ]
  const blocks = decodeBlocks(reply(lanes))
  const view = new Viewport(1000, 2000)
  view.place(1000, 2000)
  const loader = { names: new Map<number, string>(), blocksFor: () => blocks }
  return { picture, loader, counted: loader, window: { view }, tracks: TRACKS } as unknown as TimelineStore
}

test('the table begins with devices and the longest of a track, without what is folded', () => {
  const rows = (python: ReadonlySet<number>) => slicesInSight(storeOf(python)).map(({ row }) => row)
  expect(rows(new Set())).toEqual([4, 2, 1])
  expect(rows(new Set([4]))).toEqual([4, 3, 2, 1])
})

test('starts of events in a row differ', () => {
  const store = storeOf(new Set())
  const start = eventColumns(
    store,
    () => undefined,
    {
      id: 'x',
      title: '',
      kind: 'text',
      value: () => '',
      definition: '',
    },
    true,
  ).find(({ id }) => id === 'start_ns')
  const at = (start_ns: number) =>
    start?.draw?.({ name: '', track: 4, duration_ns: 1, start_ns }, 9, undefined as never)
  expect(at(131_000_400)).not.toEqual(at(131_000_900))
})
