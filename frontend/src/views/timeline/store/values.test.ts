import { afterEach, beforeEach, expect, test, vi } from 'vitest'

import { Viewport } from '../../../draw/time/viewport'
import type { ValueTrack } from '../../../wire/wire'
import { Values, shownValues } from './values'

function track(id: string, device: number | null): ValueTrack {
  return { id, title: id, unit: 'bytes', device, highest: 1, least: [0], most: [1] }
}

const TRACKS = [track('busy-0', 0), track('allocated-0--1', null), track('allocated-1-0', 0), track('queue-0', 0)]

let asked: URLSearchParams[] = []

beforeEach(() => {
  asked = []
  vi.stubGlobal('fetch', (address: string) => {
    const query = new URL(address).searchParams
    asked.push(query)
    const n = Number(query.get('width_px'))
    const tracks = [{ ...TRACKS[0], least: Array(n).fill(0), most: Array(n).fill(1) }]
    const reply = { t0_ns: Number(query.get('t0_ns')), t1_ns: Number(query.get('t1_ns')), tracks }
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

test('it asks for a screen on either side, and again only when those are left or too coarse', async () => {
  const values = new Values({ run: 'r', worker: 'w', span: '1' })
  const view = new Viewport(0, 1_000_000)
  view.width = 1000
  const settle = async (): Promise<void> => {
    values.want(view)
    const before = values.reply.value
    await vi.waitFor(() => expect(values.reply.value === before && asked.length > n).toBe(false))
    n = asked.length
  }
  let n = 0
  await settle()
  expect([asked[0]?.get('t0_ns'), asked[0]?.get('t1_ns'), asked[0]?.get('width_px')]).toEqual(['0', '1000000', '500'])
  view.show(400_000, 700_000)
  await settle()
  expect([asked[1]?.get('t0_ns'), asked[1]?.get('t1_ns')]).toEqual(['100000', '1000000'])
  view.show(500_000, 800_000)
  await settle()
  expect(asked.length).toBe(2)
})
