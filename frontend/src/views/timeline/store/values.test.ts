import { afterEach, beforeEach, expect, test, vi } from 'vitest'

import { Viewport } from '../../../draw/time/viewport'
import type { Filters } from '../../../state/filters'
import type { ValueTrack } from '../../../wire/wire'
import { Values, endsOf, shownValues, wholeRowsPx } from './values'

function track(id: string, device: number | null): ValueTrack {
  return { id, title: id, unit: 'bytes', device, lowest: 0, highest: 1, least: [0], most: [1], mean: [0.5], kept: null }
}

const TRACKS = [track('busy-0', 0), track('allocated-0--1', null), track('allocated-1-0', 0), track('queue-0', 0)]

let asked: URLSearchParams[] = []

beforeEach(() => {
  asked = []
  vi.stubGlobal('fetch', (address: string) => {
    const query = new URL(address).searchParams
    asked.push(query)
    const n = Number(query.get('width_px'))
    const tracks = [{ ...TRACKS[0], least: Array(n).fill(0), most: Array(n).fill(1), mean: Array(n).fill(0.5) }]
    const is_lit = query.has('inside')
    const reply = { is_lit, t0_ns: Number(query.get('t0_ns')), t1_ns: Number(query.get('t1_ns')), tracks }
    return Promise.resolve(new Response(JSON.stringify(reply)))
  })
})

afterEach(() => vi.unstubAllGlobals())

test('at first the queue and the memory of the first device are shown, then what the link says', () => {
  expect(shownValues(TRACKS, undefined).map(({ id }) => id)).toEqual(['allocated-1-0', 'queue-0'])
  expect(shownValues(TRACKS.slice(0, 2), undefined).map(({ id }) => id)).toEqual(['allocated-0--1'])
  expect(shownValues(TRACKS, 'busy-0,gone').map(({ id }) => id)).toEqual(['busy-0'])
  expect(shownValues(TRACKS, 'none')).toEqual([])
})

test('of counters those that count most are shown at first, and of those that count nothing only where none does', () => {
  const counters = [0, 5, -9, 3, 0, 8, 2].map((end, n) => {
    const ends = { lowest: Math.min(end, 0), highest: Math.max(end, 0) }
    return { ...track(`c${n}`, null), ...ends, unit: 'number' as const }
  })
  const shown = (tracks: readonly ValueTrack[]) => shownValues(tracks, undefined).map(({ id }) => id)
  expect(shown([...TRACKS.slice(0, 1), ...counters])).toEqual(['c1', 'c2', 'c3', 'c5'])
  expect(shown(counters.slice(0, 3))).toEqual(['c1', 'c2'])
  expect(shown(counters.map((each) => ({ ...each, lowest: 0, highest: 0 })))).toEqual(['c0', 'c1'])
})

test('of one zoom it has the same parts, whichever way one came', async () => {
  const view = new Viewport(100, 1_000_100)
  view.width = 1000
  const settled = async (values: Values): Promise<readonly (string | null)[]> => {
    do {
      values.want(view)
      await new Promise((resolve) => setTimeout(resolve, 2))
    } while (values.reply.value === undefined)
    return ['t0_ns', 't1_ns', 'width_px'].map((key) => asked.at(-1)?.get(key) ?? null)
  }
  const values = new Values({ run: 'r', worker: 'w', span: '1' })
  // A part is the power of two below what a pixel takes, 1000 ns.
  expect(await settled(values)).toEqual(['100', String(100 + 1954 * 512), '1954'])
  view.show(500_100, 500_350)
  view.show(400_100, 700_100)
  const zoomed = await settled(values)
  const [t0, t1, n] = zoomed.map(Number) as [number, number, number]
  expect([(t1 - t0) / n, (t0 - 100) % 256]).toEqual([256, 0])
  expect(t0).toBeLessThanOrEqual(250_100)
  expect(await settled(new Values({ run: 'r', worker: 'w', span: '2' }))).toEqual(zoomed)
  view.show(450_100, 750_100)
  await settled(values)
  expect(asked.length).toBe(3) // half a screen on either side is there
  view.show(850_100, 1_150_100)
  await settled(values)
  expect(asked.length).toBe(4)
})

test('what is left out is another question', async () => {
  const view = new Viewport(0, 1_000_000)
  view.width = 1000
  const values = new Values({ run: 'r', worker: 'w', span: '1' })
  const settled = async (only?: Filters): Promise<readonly unknown[]> => {
    values.want(view, only)
    await new Promise((resolve) => setTimeout(resolve, 5))
    values.want(view, only)
    return [values.reply.value?.is_lit, ...asked.splice(0).map((query) => query.get('inside'))]
  }
  expect(await settled()).toEqual([false, null])
  expect(await settled({ inside: 'mm' })).toEqual([true, 'mm'])
  expect(await settled()).toEqual([false, null])
  const same = { inside: 'mm' }
  expect(await settled(same)).toEqual([true, 'mm'])
  expect(await settled(same)).toEqual([true])
})

test('a row says its highest value, and from where to where it goes where some are negative', () => {
  const said = (lowest: number, highest: number) => endsOf({ ...track('counter-0', null), lowest, highest })
  expect([said(0, 7), said(3, 7), said(-499, 0), said(-5, -2)]).toEqual([[7], [7], [-499, 0], [-5, -2]])
})

test('there are whole rows of values, as many as leave the tracks their room, or none', () => {
  const pages = [
    [108, 450],
    [102 + 33, 450],
    [102 + 40, 450],
    [600, 450],
    [800, 900],
  ] as const
  expect(pages.map(([room, page]) => wholeRowsPx(room, page))).toEqual([0, 0, 34, 3 * 34, 6 * 34])
})
